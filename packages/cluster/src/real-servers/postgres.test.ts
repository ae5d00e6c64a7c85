import { Pod, Service, StatefulSet } from '@coxswain/k8s';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { namespacesAllowed, whyNot } from '../node/network/namespaces/test-allowed.ts';
import { namespace, ServerWorld } from './test-world.ts';

async function query(host: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({
    host,
    port: 5432,
    user: 'postgres',
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
  });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** The servers listen at all addresses, as a program does that knows nothing of others beside it. */
const everywhere = (manifest: string) =>
  manifest.replace('valueFrom: { fieldRef: { fieldPath: status.podIP } }', "value: '0.0.0.0'");

test('servers in namespaces listen at all addresses on one machine, and find each other by name', {
  timeout: 180_000,
}, async ({ skip }) => {
  skip(!namespacesAllowed, whyNot);
  await using world = await ServerWorld.start({ podNetwork: 'namespaces' });
  await world.apply('postgres/postgres.yaml', everywhere);
  const { spec } = await world.get(Service, 'pg-primary');
  const primary = spec?.clusterIP ?? '';
  const following = await world.until(
    'two replicas that follow',
    async () => {
      const rows = await query(primary, "select client_addr from pg_stat_replication where state = 'streaming'");
      return rows.length === 2 ? rows : undefined;
    },
    120,
  );
  const addresses = [await world.addressOf('pg-1'), await world.addressOf('pg-2')];
  expect(following.map((row) => row['client_addr']).sort()).toEqual(addresses.sort());
  expect(addresses.every((address) => address.startsWith('10.244.0.'))).toBe(true);
});

test('three PostgreSQL servers replicate, and one that is killed has its data again', {
  timeout: 180_000,
}, async () => {
  await using world = await ServerWorld.start();
  await world.apply('postgres/postgres.yaml');
  const ready = () =>
    world.until('three servers', async () => {
      const { status } = await world.get(StatefulSet, 'pg');
      return status?.readyReplicas === 3 ? true : undefined;
    });
  await ready();
  const primary = await world.addressOf('pg-0');
  await query(primary, 'create table ships (name text)');
  await query(primary, "insert into ships values ('Argo')");
  const streaming = () =>
    world.until('two replicas that follow', async () => {
      const rows = await query(primary, "select application_name from pg_stat_replication where state = 'streaming'");
      return rows.length === 2 ? rows : undefined;
    });
  await streaming();
  const ships = async (pod: string) => {
    const rows = await query(await world.addressOf(pod), 'select name from ships order by name');
    return rows.length > 0 ? rows.map(({ name }) => name) : undefined;
  };
  for (const pod of ['pg-1', 'pg-2']) expect(await world.until('the row', () => ships(pod))).toEqual(['Argo']);

  // The primary is gone at once, with all that it had in memory.
  const { metadata } = await world.get(Pod, 'pg-0');
  await world.cluster.client.of(Pod).delete({ namespace, name: 'pg-0' }, { gracePeriodSeconds: 0 });
  await world.until('another pod', async () => {
    const pod = await world.get(Pod, 'pg-0');
    return pod.metadata.uid !== metadata.uid && pod.status?.phase === 'Running' ? pod : undefined;
  });
  await ready();
  expect(await world.until('the data', () => ships('pg-0'))).toEqual(['Argo']);
  const again = await world.addressOf('pg-0');
  await query(again, "insert into ships values ('Beagle')");
  const both = async () => {
    const names = await ships('pg-2');
    return names?.length === 2 ? names : undefined;
  };
  expect(await world.until('what is written after', both)).toEqual(['Argo', 'Beagle']);
});
