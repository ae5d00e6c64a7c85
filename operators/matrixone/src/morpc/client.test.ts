import { VirtualClock } from '@coxswain/runtime/core';
import { describe, expect, test } from 'vitest';
import { CallError, encodeAnswerFrame, MorpcClient, parseAddress } from './index.ts';
import { EchoWorld, echo } from './test-service.ts';

const a = 'a:1';
const failure = (error: unknown) => (error instanceof CallError ? error.failure : error);

describe('calls', () => {
  test('share one connection and are told apart, in whatever order they are answered', async () => {
    const world = new EchoWorld();
    const answers: (() => void)[] = [];
    world.serve(a, ({ text }) => new Promise((resolve) => answers.push(() => resolve({ text: `${text}!` }))));
    const calls = ['x', 'y', 'z'].map((text) => world.say(a, text));
    await world.clock.settle();
    for (const answer of answers.reverse()) answer();
    await world.clock.settle();
    expect(calls.map(({ outcome }) => outcome)).toEqual(['x!', 'y!', 'z!']);
    expect(world.network.dialled).toEqual([a]);
  });

  test('to two addresses have two connections', async () => {
    const world = new EchoWorld();
    world.serve(a);
    world.serve('b:1');
    world.say(a, '');
    world.say('b:1', '');
    await world.clock.settle();
    expect(world.client.addresses).toEqual([a, 'b:1']);
  });

  test('tell the server how long they wait, less what connecting took', async () => {
    const world = new EchoWorld();
    const timeouts: number[] = [];
    world.serve(a, (_, { timeout }) => {
      timeouts.push(timeout);
      return {};
    });
    world.say(a, '', { timeout: 1500 });
    world.say(a, '');
    await world.clock.settle();
    expect(timeouts).toEqual([1500, 10_000]);
  });

  test('end with their time, naming whom they asked for what; the connection is used on, and the late answer dropped', async () => {
    const world = new EchoWorld();
    let answer = () => {};
    world.serve(a, ({ text }) =>
      text === 'slow' ? new Promise((resolve) => (answer = () => resolve({ text: 'late' }))) : { text },
    );
    const slow = world.say(a, 'slow', { timeout: 1000 });
    await world.clock.advance(999);
    expect(slow.outcome).toBeUndefined();
    await world.clock.advance(1);
    expect(slow.outcome).toMatchObject({
      failure: 'timeout',
      address: a,
      method: 'SAY',
      sent: true,
      message: 'SAY at a:1: no answer within 1s',
    });
    answer();
    const next = world.say(a, 'next');
    await world.clock.settle();
    expect(next.outcome).toBe('next');
    expect(world.network.dialled).toHaveLength(1);
  });

  test('end when their signal is aborted, with its reason; the server is not told', async () => {
    const world = new EchoWorld();
    world.serve(a, () => undefined);
    const stop = new AbortController();
    const call = world.say(a, '', { signal: stop.signal });
    await world.clock.settle();
    stop.abort(new Error('enough'));
    await world.clock.settle();
    expect(call.outcome).toEqual(new Error('enough'));
    const never = world.say(a, '', { signal: stop.signal });
    await world.clock.settle();
    expect(never.outcome).toEqual(new Error('enough'));
  });

  test('that make no sense are not sent', async () => {
    const world = new EchoWorld();
    world.serve(a);
    const large = { ...echo, request: { ...echo.request, encode: () => Buffer.from('0805', 'hex') } };
    await expect(world.client.call(large, a, 'SAY', {})).rejects.toMatchObject({ failure: 'malformed', sent: false });
    await expect(world.client.call(echo, a, 'SAY', {}, { timeout: 0 })).rejects.toThrow('SAY: "timeout" is 0');
    await world.clock.settle();
    expect(world.refused).toEqual([]);
  });
});

describe('a connection that cannot be made', () => {
  test('fails the calls that wait for it; further ones at once until it is time to try again, twice as long each time', async () => {
    const world = new EchoWorld({ backoff: 100, maxBackoff: 250 });
    const first = [world.say(a, ''), world.say(a, '')];
    await world.clock.settle();
    expect(first.map(({ outcome }) => failure(outcome))).toEqual(['unreachable', 'unreachable']);
    expect(first[0]?.outcome).toMatchObject({ sent: false, message: 'SAY at a:1: connect ECONNREFUSED a:1' });
    const attempts: number[] = [];
    const begin = world.clock.monotonic();
    for (let count = 1; attempts.length < 4; await world.clock.advance(10)) {
      world.say(a, '');
      await world.clock.settle();
      if (world.network.dialled.length === count) continue;
      attempts.push(world.clock.monotonic() - begin);
      count++;
    }
    expect(attempts).toEqual([100, 300, 550, 800]);
    world.serve(a);
    await world.clock.advance(250);
    const last = world.say(a, 'there');
    await world.clock.settle();
    expect(last.outcome).toBe('there');
  });

  test('is nothing that is remembered when nobody has called for long: nodes come and go, each at an address of its own', async () => {
    const world = new EchoWorld({ backoff: 100, maxBackoff: 5_000, idleTimeout: 60_000 });
    const tryOften = async (times: number) => {
      for (let count = 0; count < times; count++) {
        world.say(a, '');
        await world.clock.advance(200);
      }
      return world.network.dialled.splice(0).length;
    };
    expect(await tryOften(10)).toBe(5);
    await world.clock.advance(60_000);
    expect(await tryOften(2)).toBe(1);
    await world.clock.advance(66_000);
    expect(await tryOften(2)).toBe(2);
  });

  test('is given up after its time, before the calls are', async () => {
    const world = new EchoWorld({ connectTimeout: 700 });
    world.network.blackholes.add(a);
    const call = world.say(a, '');
    const short = world.say(a, '', { timeout: 300 });
    await world.clock.advance(300);
    expect(short.outcome).toMatchObject({ failure: 'timeout', sent: false });
    await world.clock.advance(400);
    expect(call.outcome).toMatchObject({ failure: 'unreachable', message: 'SAY at a:1: no connection within 0.7s' });
  });

  test('has an address that is one', async () => {
    const client = new MorpcClient({ clock: new VirtualClock() });
    for (const address of ['', 'a', 'a:', ':1', 'a:0', 'a:70000', 'a:1:2', 'a b:1', 'http://a:1']) {
      await expect(client.call(echo, address, 'SAY', {})).rejects.toMatchObject({ failure: 'unreachable' });
    }
    client.close();
    expect(parseAddress('[fe80::1%eth0]:32001')).toEqual({ host: 'fe80::1%eth0', port: 32_001 });
    expect(parseAddress('mo-log-0.mo-log-headless.ns.svc:32001')).toMatchObject({ port: 32_001 });
  });
});

describe('a connection that ends', () => {
  test('fails who waits, who may have been heard; the next call makes a new one', async () => {
    const world = new EchoWorld();
    world.serve(a, () => undefined);
    const call = world.say(a, '');
    await world.clock.settle();
    world.network.stop(a);
    await world.clock.settle();
    expect(call.outcome).toMatchObject({ failure: 'lost', sent: true });
    world.serve(a);
    const next = world.say(a, 'again');
    await world.clock.settle();
    expect(next.outcome).toBe('again');
  });

  test('when it says nothing, not even to a ping', async () => {
    const world = new EchoWorld({ pingAfter: 3000, pingTimeout: 2000, timeout: 60_000 });
    world.serve(a, () => undefined);
    const call = world.say(a, '');
    await world.clock.settle();
    // A server that is slow, but there.
    await world.clock.advance(30_000);
    expect(call.outcome).toBeUndefined();
    world.network.streams[0]?.stream.silence();
    await world.clock.advance(6000);
    expect(call.outcome).toMatchObject({
      failure: 'lost',
      message: expect.stringContaining('not even the answer to a ping'),
    });
  });

  test('that says nothing is given up by calls that are too short to notice themselves', async () => {
    const world = new EchoWorld({ pingAfter: 3000, pingTimeout: 2000 });
    world.serve(a);
    world.say(a, '');
    await world.clock.settle();
    world.network.streams[0]?.stream.silence();
    const outcomes: unknown[] = [];
    for (let count = 0; count < 5; count++) {
      const call = world.say(a, 'there', { timeout: 1000 });
      await world.clock.advance(1500);
      outcomes.push(failure(call.outcome));
    }
    expect(outcomes).toEqual(['timeout', 'timeout', 'timeout', 'lost', 'there']);
  });

  test('not because a call was given up, when there is an answer to the ping', async () => {
    const world = new EchoWorld({ pingAfter: 3000, pingTimeout: 2000, idleTimeout: 20_000 });
    world.serve(a, () => undefined);
    world.say(a, '', { timeout: 1000 });
    await world.clock.advance(15_000);
    expect(world.client.addresses).toEqual([a]);
    await world.clock.advance(10_000);
    expect(world.client.addresses).toEqual([]);
  });

  test('when what arrives is no frame', async () => {
    const world = new EchoWorld();
    world.serve(a, () => undefined);
    const calls = [world.say(a, ''), world.say(a, '')];
    await world.clock.settle();
    world.network.streams[0]?.stream.write(Buffer.from('HTTP/1.1 400 Bad Request\r\n'));
    await world.clock.settle();
    expect(calls.map(({ outcome }) => failure(outcome))).toEqual(['malformed', 'malformed']);
    expect(calls[0]?.outcome).toMatchObject({ message: expect.stringContaining('at most 33554432 are taken') });
    expect(world.client.addresses).toEqual([]);
  });

  test('after it was idle', async () => {
    const world = new EchoWorld({ idleTimeout: 60_000 });
    world.serve(a);
    world.say(a, '');
    await world.clock.advance(50_000);
    world.say(a, '');
    await world.clock.advance(59_000);
    expect(world.client.addresses).toEqual([a]);
    await world.clock.advance(2000);
    expect(world.client.addresses).toEqual([]);
    expect(world.clock.untilNext).toBeUndefined();
  });

  test('with the client, which takes no calls any more', async () => {
    const world = new EchoWorld();
    world.serve(a, () => undefined);
    world.network.blackholes.add('b:1');
    const calls = [world.say(a, ''), world.say('b:1', '')];
    await world.clock.settle();
    world.client.close();
    calls.push(world.say(a, ''));
    await world.clock.settle();
    expect(calls.map(({ outcome }) => failure(outcome))).toEqual(['closed', 'closed', 'closed']);
    expect(world.clock.untilNext).toBeUndefined();
  });
});

test('a message that cannot be read fails its call, and no other', async () => {
  const world = new EchoWorld();
  world.serve(a, () => undefined);
  const calls = [world.say(a, ''), world.say(a, '')];
  await world.clock.settle();
  const answer = (body: string) => {
    const frame = { kind: 'message', body: Buffer.from(body, 'hex'), payload: undefined, timeout: 1n } as const;
    world.network.streams[0]?.stream.write(encodeAnswerFrame(frame));
  };
  answer('08011209');
  answer('08021202686f');
  await world.clock.settle();
  expect(calls[0]?.outcome).toMatchObject({ failure: 'malformed', message: expect.stringContaining('cannot be read') });
  expect(calls[1]?.outcome).toBe('ho');
});

test('an answer without an id, as servers give to requests they skip, is nobody’s and harms nobody', async () => {
  const world = new EchoWorld();
  world.serve(a, () => undefined);
  const call = world.say(a, '');
  await world.clock.settle();
  for (const body of ['1202686f', '08011202686f']) {
    const frame = { kind: 'message', body: Buffer.from(body, 'hex'), payload: undefined, timeout: 1n } as const;
    world.network.streams[0]?.stream.write(encodeAnswerFrame(frame));
  }
  await world.clock.settle();
  expect(call.outcome).toBe('ho');
});

test('a ping of a server is not answered: a pong would end it', async () => {
  const world = new EchoWorld();
  world.serve(a, () => undefined);
  world.say(a, '');
  await world.clock.settle();
  const body = Buffer.alloc(8, 255);
  world.network.streams[0]?.stream.write(encodeAnswerFrame({ kind: 'ping', body, payload: undefined, timeout: 1n }));
  await world.clock.settle();
  expect(world.refused).toEqual([]);
  expect(world.client.addresses).toEqual([a]);
});

test('a request that would end the server is not sent', async () => {
  const world = new EchoWorld();
  world.serve(a);
  const call = world.say(a, 'kill');
  await world.clock.settle();
  expect(call.outcome).toMatchObject({ failure: 'malformed', sent: false });
  expect(world.refused).toEqual([]);
});

test('options that make no sense are refused', () => {
  const clock = new VirtualClock();
  expect(() => new MorpcClient({ clock, timeout: -1 })).toThrow('MorpcClient: "timeout" is -1');
  expect(() => new MorpcClient({ clock, ...{ timout: 1 } })).toThrow('did you mean `timeout`');
});
