/** A whole MatrixOne of real processes, run by the operator as its chart installs it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PodWatch } from './test-pod-watch.ts';
import { nextNode, Sessions } from './test-sessions.ts';
import { ProcessWorld } from './test-world.ts';

const patience = 240_000;
let world: ProcessWorld;
beforeAll(async () => {
  world = await ProcessWorld.start();
}, patience);
afterAll(() => world?.[Symbol.asyncDispose]());

test('created, it is ready and takes sessions', { timeout: patience }, async () => {
  await world.create();
  console.log('ready', await world.settled());
  await using sessions = await Sessions.open(await world.proxyAddress(), 2);
  await world.until('statements', async () => sessions.statements > 20);
  expect(sessions.problems).toEqual([]);
});

test('more compute nodes, and fewer again: no session is cut', { timeout: patience }, async () => {
  const proxy = await world.proxyAddress();
  await using sessions = await Sessions.open(proxy, 4);
  await using pods = await PodWatch.begin(world.cluster);
  await world.scale(6);
  console.log('6', await world.settled(120));
  expect(await world.pods('CNSet')).toHaveLength(6);
  while (sessions.nodes.size < 6) {
    await world.until('a new node that takes sessions', async () => !sessions.nodes.has(await nextNode(proxy)));
    await sessions.more(1);
  }
  await world.scale(2);
  const t = performance.now();
  await world.until('two compute nodes', async () => (await world.pods('CNSet')).length === 2, 120);
  await world.settled();
  console.log('2', performance.now() - t);
  const answered = sessions.statements;
  await world.until('sessions that go on', async () => sessions.statements > answered + 50);
  expect(sessions.problems).toEqual([]);
  expect(sessions.nodes.size).toBe(2);
  expect(sessions.moves).toBeGreaterThan(3);
  expect(pods.fewest('CNSet')).toBe(2);
  console.log(sessions.moves, sessions.statements, sessions.nodes);
});
