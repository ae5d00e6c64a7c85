import { Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import type { CnStoreService } from '../cnstore/index.ts';
import { World } from '../scenario/test-world.ts';
import { drain, undrain } from './drain.ts';
import { status } from './status/command.ts';
import { terminal } from './test-terminal.ts';

/** How it is with all nodes: their sessions, and whether none can be put into service. */
interface Load {
  sessions: number;
  isStuck?: boolean;
}

function nodesWith(load: Load): CnStoreService {
  return {
    refreshAfter: 20_000,
    serve: async () => {
      if (load.isStuck) throw new Error('HAKeeper does not answer');
    },
    drain: async () => {},
    load: async () => ({ sessions: load.sessions, pipelines: 0, replicas: 0 }),
    forget: async () => {},
  };
}

async function start(load: Load): Promise<World> {
  const world = await World.start({ cnStores: nodesWith(load) });
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  return world;
}

async function computePods(world: World): Promise<readonly Pod[]> {
  const labels = 'matrixorigin.io/component=CNSet';
  return (await world.drive(world.client.of(Pod).list({ namespace: 'default', labels }))).items;
}

const cordon = 'matrixorigin.io/store-cordon';

test('a node is drained until nothing is left on it, and taken back', { timeout: 240_000 }, async () => {
  const load = { sessions: 3 };
  await using world = await start(load);
  const [pod, other] = await computePods(world);
  const name = pod?.metadata.name ?? '';

  const first = terminal(world, `drain ${name} --wait`);
  const drained = drain(first.session);
  await world.clock.advance(60_000);
  expect(first.output()).toBe(`pod/${name} is being drained\n`);
  expect(first.notes.at(-1)).toBe(`${name} has 3 sessions`);
  const tree = terminal(world, 'status mo');
  expect(await world.drive(status(tree.session))).toBe(1);
  expect(tree.output()).toContain(
    `waits for CNSet mo-tp: Pod ${name}: Cordoned (kubectl mo undrain ${name} takes it back), 3 sessions`,
  );
  load.sessions = 0;
  expect(await world.drive(drained)).toBe(0);
  expect(first.output()).toContain('nothing is left on them');
  const pods = await computePods(world);
  const marked = pods.filter(({ metadata }) => metadata.annotations?.[cordon] !== undefined);
  expect(marked.map(({ metadata }) => metadata.name)).toEqual([name]);
  expect(pods.map(({ metadata }) => metadata.uid).sort()).toEqual([pod, other].map((p) => p?.metadata.uid).sort());

  const back = terminal(world, `undrain pod/${name} --wait`);
  expect(await world.drive(undrain(back.session))).toBe(0);
  expect(back.output()).toContain('they take sessions');
  await world.until('the cluster is settled', () => world.settled());
});

test('a node that has only just left service is not taken for empty', { timeout: 240_000 }, async () => {
  await using world = await start({ sessions: 0 });
  const [pod] = await computePods(world);
  const { session, notes } = terminal(world, `drain ${pod?.metadata.name} --wait`);
  const began = world.clock.now();
  await world.drive(drain(session));
  expect(world.clock.now() - began).toBeGreaterThanOrEqual(29_000);
  expect(notes.at(-1)).toContain('sessions may be on their way to it');
});

test('a set stands for all its nodes; a second drain changes nothing; the time it has is kept', {
  timeout: 240_000,
}, async () => {
  await using world = await start({ sessions: 1 });
  const { session, output } = terminal(world, 'drain cnset/mo-tp');
  expect(await world.drive(drain(session))).toBe(0);
  expect(output().match(/is being drained\n/g)).toHaveLength(2);
  const marks = async () => (await computePods(world)).map(({ metadata }) => metadata.annotations?.[cordon]);
  const before = await marks();
  expect(before).not.toContain(undefined);
  await world.clock.advance(5_000);
  const again = terminal(world, 'drain mo-tp --wait --timeout 20s');
  await expect(world.drive(drain(again.session))).rejects.toThrow(
    /not within 20s: mo-tp-cn-\w+ has 1 session; mo-tp-cn/,
  );
  expect(again.output().match(/is being drained already\n/g)).toHaveLength(2);
  expect(await marks()).toEqual(before);
});

test('a node that goes before it is back in service takes no sessions', { timeout: 240_000 }, async () => {
  const load = { sessions: 0, isStuck: false };
  await using world = await start(load);
  const [pod] = await computePods(world);
  const name = pod?.metadata.name ?? '';
  await world.drive(drain(terminal(world, `drain ${name}`).session));
  await world.clock.advance(5_000);
  load.isStuck = true;
  const { session, output } = terminal(world, `undrain ${name} --wait`);
  const done = undrain(session).catch((error: Error) => error.message);
  await world.clock.advance(5_000);
  await world.drive(world.client.of(Pod).delete({ namespace: 'default', name }, { gracePeriodSeconds: 0 }));
  expect(await world.drive(done)).toBe(`gone, and not back in service: ${name}`);
  expect(output()).toBe(`pod/${name} is being undrained\n`);
});

test('words that name no compute node do nothing', { timeout: 240_000 }, async () => {
  await using world = await start({ sessions: 0 });
  const refused = [
    ['drain', 'name a pod of a compute node'],
    ['drain x', 'there is no pod or CNSet x in namespace default'],
    ['drain mo-tp cnset/x', 'there is no cnset x in namespace default'],
    ['drain mo-log-0', 'pod mo-log-0 in namespace default is not that of a compute node'],
    ['drain svc/x', '"svc/x" is not pod/NAME, cnset/NAME or NAME'],
  ] as const;
  for (const [words, message] of refused)
    await expect(world.drive(drain(terminal(world, words).session))).rejects.toThrow(message);
  const marks = (await computePods(world)).map(({ metadata }) => metadata.annotations?.[cordon]);
  expect(marks).toEqual([undefined, undefined]);
});
