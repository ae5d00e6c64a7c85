import { defaultBehaviour, type PodBehaviour } from '@coxswain/cluster';
import { type Kind, Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { DNSet, LogSet } from '../api/index.ts';
import { TroubleWorld } from '../scenario/test-trouble.ts';

/** Log stores and nodes ask for their bucket at the start, and end by a panic when they are refused; proxies do not ask. */
function asking(storage: { isThere: boolean }): PodBehaviour {
  return (pod, container, attempt) =>
    storage.isThere || container.name !== 'main' || !/^mo-(log|dn|tp)-/.test(pod.metadata.name)
      ? defaultBehaviour(pod, container, attempt)
      : { kind: 'ends', after: 3_000, exitCode: 2, reason: 'Error' };
}

const says =
  /: container main ends soon after each start, last with exit code 2; its log says whether it is its object storage: S3 path \S+ at http:\/\/\S+, region us-west-2 \(none is named\), with the keys of Secret minio$/;

const told = (kind: Kind, reason = 'Crashing') => ({ kind, name: 'mo', reason, says });

test('a bucket that is missing when a database is made is what its user is told to look at; the database comes up with it', async () => {
  const storage = { isThere: false };
  await using world = await TroubleWorld.start({ cluster: { behaviour: asking(storage) } });
  await world.create({});
  await world.world.clock.advance(180_000);
  await world.newlyTellsOf(told(LogSet));
  await world.endures();
  storage.isThere = true;
  await world.recovers();
  expect((await world.says(LogSet, 'mo')).join()).not.toContain('PodsFailing');
});

test('pods that start anew while the storage refuses them: it is named, nothing is lost, all comes back by itself', async () => {
  const storage = { isThere: true };
  await using world = await TroubleWorld.settled(undefined, { cluster: { behaviour: asking(storage) } });
  storage.isThere = false;
  const restart = (...names: string[]) =>
    Promise.all(
      names.map((name) => world.client.of(Pod).delete({ namespace: 'default', name }, { gracePeriodSeconds: 0 })),
    );
  await world.drive(restart('mo-dn-0'));
  await world.world.clock.advance(180_000);
  await world.newlyTellsOf(told(DNSet));
  await world.drive(restart('mo-log-0', 'mo-log-1', 'mo-log-2'));
  await world.world.clock.advance(180_000);
  await world.newlyTellsOf(told(LogSet));
  // Longer than a store may be down: one in its place would not get there either.
  await world.endures();
  await world.tellsOf(told(LogSet));
  storage.isThere = true;
  await world.recovers();
  for (const kind of [LogSet, DNSet]) expect((await world.says(kind, 'mo')).join()).not.toContain('PodsFailing');
});
