import type { WatchEvent } from '@coxswain/runtime/client';
import { notFound } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import type { ApiRequest, ApiResponse, OutgoingEvent } from '../apiserver/types.ts';
import { inProcessTransport } from './in-process.ts';
import { statusOf } from './status.ts';

const user = { name: 'admin', groups: ['system:masters'] };

/** A stream driven by the test. */
function newStream() {
  const stream = {
    cancelled: 0,
    push: (_events: readonly OutgoingEvent[]): void => {},
    end: (): void => {},
    start(onEvents: (events: readonly OutgoingEvent[]) => void, onEnd: () => void) {
      stream.push = onEvents;
      stream.end = onEnd;
    },
    cancel() {
      stream.cancelled++;
    },
  };
  return stream;
}

const answering = (response: ApiResponse) => inProcessTransport(async () => response, user);
const added = (name: string): OutgoingEvent => ({ type: 'ADDED', object: Object.freeze({ metadata: { name } }) });
const watchRequest = { method: 'GET', path: '/api/v1/pods', query: { watch: 'true' } } as const;

test('requests reach the handler as they are, with the user; answers are its own objects', async () => {
  const seen: ApiRequest[] = [];
  const body = Object.freeze({ a: 1 });
  const answer = Object.freeze({ b: 2 });
  const transport = inProcessTransport(async (request) => {
    seen.push(request);
    return { kind: 'object', code: 201, body: answer, warnings: ['careful'] };
  }, user);
  const response = await transport.send({ method: 'POST', path: '/x', body });
  expect(response).toEqual({ status: 201, body: answer, warnings: ['careful'] });
  expect(response.body).toBe(answer);
  expect(seen[0]?.body).toBe(body);
  expect(seen[0]?.user).toEqual({ name: 'admin', groups: ['system:masters', 'system:authenticated'] });
});

test('refusals are ApiErrors, thrown or answered; text is text', async () => {
  const error = notFound({ group: '', plural: 'pods' }, 'a');
  const thrown = inProcessTransport(() => Promise.reject(error), user);
  await expect(thrown.send({ method: 'GET', path: '/x' })).rejects.toBe(error);
  const answered = answering({ kind: 'object', code: 404, body: statusOf(error) });
  await expect(answered.send({ method: 'GET', path: '/x' })).rejects.toMatchObject({ code: 404, reason: 'NotFound' });
  await expect(answered.watch(watchRequest)).rejects.toMatchObject({ code: 404 });
  expect((await answering({ kind: 'text', code: 200, body: 'ok' }).send({ method: 'GET', path: '/livez' })).body).toBe(
    'ok',
  );
  await expect(
    answering({ kind: 'text', code: 404, body: 'no' }).send({ method: 'GET', path: '/' }),
  ).rejects.toMatchObject({ code: 404 });
});

test('a watch yields what is at hand as one array, and ends with the stream', async () => {
  const stream = newStream();
  const events = await answering({ kind: 'watch', stream }).watch(watchRequest);
  stream.push([added('a')]);
  stream.push([added('b'), added('c')]);
  const batches: (readonly WatchEvent[])[] = [];
  for await (const batch of events) {
    batches.push(batch);
    if (batches.length === 1) void Promise.resolve().then(() => stream.push([added('d')]));
    else stream.end();
  }
  expect(
    batches.map((batch) => batch.map((event) => (event.object as { metadata: { name: string } }).metadata.name)),
  ).toEqual([['a', 'b', 'c'], ['d']]);
  expect(stream.cancelled).toBe(0);
});

test('leaving the loop, aborting and closing all cancel the stream', async () => {
  const left = newStream();
  const events = await answering({ kind: 'watch', stream: left }).watch(watchRequest);
  left.push([added('a')]);
  for await (const _ of events) break;
  expect(left.cancelled).toBe(1);

  const aborted = newStream();
  const controller = new AbortController();
  const more = await answering({ kind: 'watch', stream: aborted }).watch({
    ...watchRequest,
    signal: controller.signal,
  });
  const reading = (async () => {
    for await (const _ of more);
  })();
  controller.abort();
  await reading;
  expect(aborted.cancelled).toBe(1);

  const closed = newStream();
  const transport = answering({ kind: 'watch', stream: closed });
  const last = await transport.watch(watchRequest);
  await transport.close();
  for await (const _ of last) throw new Error('nothing may come');
  expect(closed.cancelled).toBe(1);
});

test('an aborted request rejects with the reason, and a stream that comes too late is cancelled', async () => {
  const stream = newStream();
  const { promise, resolve } = Promise.withResolvers<ApiResponse>();
  const transport = inProcessTransport(() => promise, user);
  const controller = new AbortController();
  const asked = transport.watch({ ...watchRequest, signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
  resolve({ kind: 'watch', stream });
  await promise;
  expect(stream.cancelled).toBe(1);
  await expect(transport.send({ method: 'GET', path: '/', signal: controller.signal })).rejects.toThrow('enough');
});

test('everyone who is known is authenticated, once; the anonymous are not', async () => {
  const groupsOf = async (groups: readonly string[]) => {
    let seen: readonly string[] = [];
    const handler = async (request: ApiRequest): Promise<ApiResponse> => {
      seen = request.user.groups;
      return { kind: 'text', code: 200, body: '' };
    };
    await inProcessTransport(handler, { name: 'u', groups }).send({ method: 'GET', path: '/x' });
    return seen;
  };
  expect(await groupsOf(['a'])).toEqual(['a', 'system:authenticated']);
  expect(await groupsOf(['system:authenticated', 'a'])).toEqual(['system:authenticated', 'a']);
  expect(await groupsOf(['system:unauthenticated'])).toEqual(['system:unauthenticated']);
});

test('lets others have their turn before it asks', async () => {
  const turn = Promise.withResolvers<void>();
  let asked = 0;
  const handler = async () => {
    asked++;
    return { kind: 'object', code: 200, body: {} } as const;
  };
  const transport = inProcessTransport(handler, user, { turn: () => turn.promise });
  const answer = transport.send({ method: 'GET', path: '/x' });
  await Promise.resolve();
  expect(asked).toBe(0);
  turn.resolve();
  expect((await answer).status).toBe(200);
});
