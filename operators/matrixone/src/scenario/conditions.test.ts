import { readFileSync } from 'node:fs';
import { Event, type Kind, type KubeObject, Pod } from '@coxswain/k8s';
import { conditionsOf } from '@coxswain/runtime/apply';
import { json, merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { CNSet, DNSet, LogSet, MatrixOneCluster, ProxySet, WebUI } from '../api/index.ts';
import { World } from './test-world.ts';

const key = { namespace: 'default', name: 'mo' };
const kinds: readonly Kind[] = [MatrixOneCluster, LogSet, DNSet, CNSet, ProxySet, WebUI];

interface Row {
  readonly cells: readonly string[];
}

/** Rows of the tables in the documentation whose first column is headed so. */
function table(head: string): readonly Row[] {
  const text = readFileSync(new URL('../../../../docs/matrixone/conditions.md', import.meta.url), 'utf8');
  const [, after = ''] = text.split(`\n| ${head} |`);
  const [body = ''] = after.split('\n\n');
  const lines = body.split('\n').slice(2);
  return lines.map((line) => ({
    cells: line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  }));
}

/** `LogSet Ready` → reasons, and which of them go with True. */
const documented = new Map(
  table('kind').flatMap(({ cells: [names = '', type = '', reasons = ''] }) =>
    names.split(', ').map((kind) => [
      `${kind} ${type}`,
      {
        all: new Set(reasons.split(', ').map((reason) => reason.replaceAll('*', ''))),
        good: new Set([...reasons.matchAll(/\*\*(\w+)\*\*/g)].map(([, reason]) => reason)),
      },
    ]),
  ),
);

/** Notes every condition that is ever written; each must be complete and in the table. */
async function watchConditions(world: World): Promise<Set<string>> {
  const seen = new Set<string>();
  const wrong = (object: KubeObject) =>
    conditionsOf(object).flatMap(({ type, status, reason, message, observedGeneration }) => {
      const row = documented.get(`${object.kind} ${type}`);
      seen.add(`${object.kind} ${type} ${status} ${reason}`);
      const complete = message !== '' && observedGeneration !== undefined;
      const known = row?.all.has(reason) && (status === 'True') === row.good.has(reason);
      return complete && known ? [] : [`${object.kind} ${type} ${status} ${reason} ${observedGeneration}: ${message}`];
    });
  for (const kind of kinds) await world.record(kind, (object) => wrong(object).join() || undefined);
  return seen;
}

test('a life: every condition that is written has reason, message and generation, and is documented', async () => {
  await using world = await World.start();
  const seen = await watchConditions(world);
  await world.applyExample((cluster) => ({
    ...cluster,
    spec: {
      ...cluster.spec,
      webui: { replicas: 1, serviceType: 'ClusterIP' },
      logService: { ...cluster.spec.logService, storeFailureTimeout: '20s' },
    },
  }));
  await world.until('the cluster is settled', () => world.settled());
  await world.clock.advance(30_000);
  const patch = (spec: object) => world.drive(world.client.of(MatrixOneCluster).patch(key, merge({ spec })));
  await patch({ proxy: { config: 'x =' } });
  await world.clock.advance(5_000);
  await patch({ proxy: { config: null, replicas: 2 } });
  await world.until('the cluster is settled', () => world.settled());
  const broken = json([{ op: 'replace', path: '/spec/containers/0/image', value: 'invalid.example/broken:1' }]);
  for (const name of ['mo-log-1', 'mo-log-2'])
    await world.drive(world.client.of(Pod).patch({ namespace: 'default', name }, broken));
  await world.clock.advance(60_000);
  expect(world.history).toEqual([]);
  for (const kind of kinds.map((one) => one.kind)) {
    for (const type of ['Ready', 'Synced']) {
      expect(
        [...seen].filter((line) => line.startsWith(`${kind} ${type} True`)),
        `${kind} ${type}`,
      ).toHaveLength(1);
      expect(seen.size).toBeGreaterThan(0);
    }
    expect(
      [...seen].some((line) => line.startsWith(`${kind} Synced False`)),
      kind,
    ).toBe(true);
  }
  expect([...seen]).toEqual(
    expect.arrayContaining([
      'DNSet Synced False DependencyNotReady',
      'CNSet Synced False DependencyNotReady',
      'MatrixOneCluster Synced False SpecInvalid',
      'MatrixOneCluster Ready False LogServiceNotReady',
      'LogSet FailoverBlocked True Quorum',
      'LogSet Ready False NoEnoughReadyStores',
    ]),
  );
  // Every event the operator writes about these kinds is in the table of events.
  const reasons = new Set(table('about').flatMap(({ cells }) => (cells[1] ?? '').split(/,? (?:and the other.*)?/)));
  const { items } = await world.drive(world.client.of(Event).list({ namespace: 'default' }));
  const told = items.filter(({ reportingController }) => reportingController?.startsWith('matrixone-operator'));
  expect(told.length).toBeGreaterThan(10);
  const unknown = told.map(({ reason }) => reason ?? '').filter((reason) => !reasons.has(reason));
  expect([...new Set(unknown)].filter((reason) => reason !== 'ReconcileSuccess')).toEqual([]);
});

test('who waits says for whom, up to the cluster', async () => {
  await using world = await World.start();
  await world.applyExample((cluster) => ({
    ...cluster,
    spec: { ...cluster.spec, logService: { ...cluster.spec.logService, image: 'invalid.example/broken:2.1.0' } },
  }));
  await world.clock.advance(30_000);
  const message = async (kind: Kind, name: string, type: string) => {
    const object = await world.drive(world.client.of(kind).get({ namespace: 'default', name }));
    return conditionsOf(object).find((condition) => condition.type === type)?.message;
  };
  expect(await message(DNSet, 'mo', 'Synced')).toContain('LogSet default/mo');
  expect(await message(CNSet, 'mo-tp', 'Synced')).toContain('LogSet default/mo');
  const why = /^LogSet mo: fewer than 3 log stores are up; mo-log-0, mo-log-1, mo-log-2: image .* cannot be pulled/;
  expect(await message(MatrixOneCluster, 'mo', 'Ready')).toMatch(why);
});
