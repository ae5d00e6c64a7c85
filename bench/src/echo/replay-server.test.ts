import { expect, test } from 'vitest';
import { ReplayServer } from './replay-server.ts';

const echoes = '/apis/bench.dev/v1/echoes';
/** Asks, and reads the answer. */
const ask = async (url: string, init?: RequestInit) => JSON.parse(await (await fetch(url, init)).text());
const serverOf = (replay: ReplayServer): string => JSON.parse(replay.kubeconfig()).clusters[0].cluster.server;

test('who watches over WebSocket gets each change as a message, and the play ends with the status that the last asks for', async () => {
  await using replay = await ReplayServer.start(2);
  const socket = new WebSocket(`${serverOf(replay).replace('http', 'ws')}${echoes}?watch=true&resourceVersion=0`);
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  const generations: number[] = [];
  socket.addEventListener('message', ({ data }) => {
    const { type, object } = JSON.parse(data);
    expect(type).toBe('MODIFIED');
    generations.push(object.metadata.generation);
    const status = `${serverOf(replay)}/apis/bench.dev/v1/namespaces/default/echoes/echo-0/status`;
    if (object.metadata.generation === 2) void fetch(status, { method: 'PATCH', body: '{}' });
  });
  await replay.play(3);
  expect(generations).toEqual([1, 1, 1, 2]);
});

test('what a client notes between its list and its watch is told by the watch', async () => {
  await using replay = await ReplayServer.start(2);
  const { metadata } = await ask(`${serverOf(replay)}${echoes}`);
  const body = JSON.stringify({ metadata: { annotations: { handled: 'yes' } } });
  await ask(`${serverOf(replay)}/apis/bench.dev/v1/namespaces/default/echoes/echo-1`, { method: 'PATCH', body });
  const watch = await fetch(`${serverOf(replay)}${echoes}?watch=true&resourceVersion=${metadata.resourceVersion}`);
  const { value } = (await watch.body?.getReader().read()) ?? {};
  const told = JSON.parse(Buffer.from(value ?? []).toString());
  expect(told).toMatchObject({ type: 'MODIFIED', object: { metadata: { annotations: { handled: 'yes' } } } });
});

test('discovery knows all that is listed and watched', async () => {
  await using replay = await ReplayServer.start(1);
  for (const path of ['/api/v1', '/apis/apiextensions.k8s.io/v1', '/apis/bench.dev/v1']) {
    const { resources } = await ask(`${serverOf(replay)}${path}`);
    for (const { name } of resources.filter((one: { name: string }) => !one.name.includes('/')))
      expect(await ask(`${serverOf(replay)}${path}/${name}`)).toHaveProperty('items');
  }
});
