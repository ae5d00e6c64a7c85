import { ConfigMap } from '@coxswain/k8s';
import { createClient, merge } from '@coxswain/runtime/client';
import { seededRandom, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { cutTransport } from '../perturb/index.ts';
import { startTestCluster } from '../test-cluster/index.ts';
import { watchInvariants } from './index.ts';

/**
 * Moves a token from map `a` to map `b`, and is cut off at a write. Careful: gives up the token first, so that never two have it.
 * Careless: the other way round.
 */
async function moveToken(careful: boolean, write: number, when: 'before' | 'after', seed: number) {
  const clock = new VirtualClock();
  await using world = await startTestCluster({ clock, random: seededRandom(seed) });
  const { client, namespace } = world;
  const map = (name: string, token: string) => ({ metadata: { name, namespace }, data: { token } });
  for (const each of [map('a', 'yes'), map('b', 'no')]) await client.of(ConfigMap).create(each);
  await using invariants = await watchInvariants({
    client,
    clock,
    seed,
    namespace,
    kinds: [ConfigMap],
    rules: {
      'one token at most': (stores) => {
        const held = [...stores.store(ConfigMap).list()].filter(({ data }) => data?.['token'] === 'yes');
        return held.length > 1 ? `${held.map(({ metadata }) => metadata.name).join(' and ')} have it` : undefined;
      },
    },
  });
  const process = cutTransport(await world.transport(), { write, when });
  const own = createClient({ transport: process.transport, clock });
  const set = (name: string, token: string) => own.of(ConfigMap).patch({ namespace, name }, merge({ data: { token } }));
  const steps = [() => set('a', 'no'), () => set('b', 'yes')];
  for (const step of careful ? steps : steps.toReversed()) await step().catch(() => {});
  await clock.settle();
  invariants.check();
  return invariants.checked;
}

const cuts = [1, 2].flatMap((write) => (['before', 'after'] as const).map((when) => [write, when] as const));

test('what is careful holds at every point at which it may be cut off', async () => {
  for (const [write, when] of cuts) expect(await moveToken(true, write, when, 7)).toBeGreaterThanOrEqual(0);
});

test('what is careless is found, with its seed and the changes before', async () => {
  await expect(moveToken(false, 2, 'after', 7)).rejects.toThrow(
    /"one token at most" does not hold \(seed 7\): .* have it\nlast changes:\n {2}updated configmaps .*\/b at \d+/,
  );
});
