import { afterEach, beforeEach, expect, test } from 'vitest';
import { dialTcp } from '../dial.ts';
import { eventually, TestNetwork } from '../test-network.ts';

let world: TestNetwork;
beforeEach(async () => {
  world = await TestNetwork.start();
});
afterEach(() => world[Symbol.asyncDispose]());

const never = new AbortController().signal;

test('a Service leads to its ready pods in turn, and refuses at once when there are none', async () => {
  const service = await world.service('web', { ports: [{ port: 80, targetPort: 8080 }] });
  const ip = service.spec?.clusterIP ?? '';
  expect(ip).toMatch(/^127\.\d+\.\d+\.\d+$/);
  await expect(dialTcp(ip, 80, never)).rejects.toThrow(`dial tcp ${ip}:80: connect: connection refused`);
  for (const name of ['a', 'b']) {
    const { ip: address } = await world.pod(name, {}, { labels: { app: 'web' } });
    await world.listen(address, 8080, (socket) => socket.end(name));
  }
  await eventually(async () => expect(await world.ask(ip, 80)).not.toBe(''));
  const both = new Set<string>();
  await eventually(async () => expect(both.add(await world.ask(ip, 80)).size).toBe(2));
  const turns = [await world.ask(ip, 80), await world.ask(ip, 80), await world.ask(ip, 80)];
  expect(turns[0]).toBe(turns[2]);
  expect(turns[0]).not.toBe(turns[1]);
  for (const name of ['a', 'b']) await world.setReady(name, false);
  await eventually(() => expect(dialTcp(ip, 80, never)).rejects.toThrow('connection refused'));
});
