// What the server runs the rules of CRDs with, and loads when it meets one: no virtual time passes while files are read.
import '@coxswain/schema/cel';
import { startCluster } from '@coxswain/cluster';
import { Secret } from '@coxswain/k8s';
import { controllerReference, installCrds } from '@coxswain/runtime/apply';
import { type Client, merge } from '@coxswain/runtime/client';
import { formatTime, seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { eventKind } from '@coxswain/runtime/events';
import { createManager } from '@coxswain/runtime/manager';
import { expect, test } from 'vitest';
import { CNSet, MatrixOneCluster } from '../api/index.ts';
import { credentialOf } from '../children/index.ts';
import type { SqlService, SqlStatement, SqlTarget } from '../sql/index.ts';
import { setupMetricReader } from './metric-reader.ts';

const key = { namespace: 'default', name: 'mo' };
const reader = { namespace: 'default', name: 'mo-metric' };
const text = (data: string | undefined) => Buffer.from(data ?? '', 'base64').toString();

/** A database that notes what it is asked. */
class TestSql implements SqlService {
  readonly asked: { readonly target: SqlTarget; readonly statements: readonly SqlStatement[] }[] = [];
  trouble: Error | undefined;
  /** What happens while it works. */
  meanwhile: (() => Promise<unknown>) | undefined;

  async run(target: SqlTarget, statements: readonly SqlStatement[]): Promise<[]> {
    if (this.trouble) throw this.trouble;
    this.asked.push({ target, statements });
    await this.meanwhile?.();
    return [];
  }
}

function makeGroup(client: Client, group: string, replicas: number): Promise<CNSet> {
  const metadata = { name: `mo-${group}`, namespace: 'default' };
  const deps = { logSet: { metadata: { name: 'mo' } } };
  return client.of(CNSet).create({ metadata, spec: { replicas, image: 'mo:1', serviceType: 'ClusterIP' }, deps });
}

/** A server with a cluster that has a credential and is not ready, and the controller on it. */
async function start() {
  const clock = new VirtualClock();
  const [random, log, sql] = [seededRandom(1), silentLogger, new TestSql()];
  const drive = <T>(promise: Promise<T>) => clock.drive(promise, { limit: 60_000 });
  const cluster = await drive(startCluster({ clock, random, log, controlPlane: false }));
  const { client } = cluster;
  await drive(installCrds(client, [MatrixOneCluster.crd(), CNSet.crd()], { clock }));
  const manager = createManager({ client, name: 'test', clock, random, log });
  setupMetricReader(manager, sql);
  await drive(manager.start());
  const made = await drive(makeCluster(client));
  await drive(client.of(Secret).create(credentialOf(made)));
  await drive(makeGroup(client, 'tp', 2));
  const stop = async () => {
    await drive(manager.stop());
    await drive(cluster.stop());
  };
  return { client, clock, drive, made, sql, [Symbol.asyncDispose]: stop };
}

function makeCluster(client: Client): Promise<MatrixOneCluster> {
  const logService = { replicas: 1, volume: { size: '1Gi' }, sharedStorage: { fileSystem: { path: '/x' } } };
  const spec = { version: '2.1.0', metricReaderEnabled: true, logService, tn: { replicas: 1 }, cnGroups: [] };
  return client.of(MatrixOneCluster).create({ metadata: key, spec });
}

/** Says that it is ready, and where it is asked. */
function becomeReady(
  { client, clock }: { readonly client: Client; readonly clock: VirtualClock },
  groups: readonly string[] = ['tp'],
) {
  const ready = { type: 'Ready', status: 'True', reason: 'AllSetsReady', message: '' };
  const status = {
    conditions: [{ ...ready, lastTransitionTime: formatTime(clock.now()) }],
    cnGroups: { groups: groups.map((name) => ({ name: `mo-${name}`, host: `mo-${name}-cn.default` })) },
  };
  return client.of(MatrixOneCluster).patchStatus(key, merge({ status }));
}

const reasonsOf = async (client: Client) =>
  (await client.of(eventKind).list({ namespace: 'default' })).items.map(({ reason }) => reason);

test('the user for metrics is made once the cluster is ready, and once only', async () => {
  await using world = await start();
  const { client, clock, drive, sql } = world;
  await clock.advance(60_000);
  expect(sql.asked).toEqual([]);

  sql.trouble = new Error('SQL at mo-tp-cn.default.svc:6001: connect: no answer within 10s');
  await drive(becomeReady(world));
  await clock.advance(1_000);
  const secretOf = () => drive(client.of(Secret).get(reader));
  const { data } = await secretOf();
  expect([data?.['username'], data?.['account'], data?.['role']].map(text)).toEqual([
    'mo_operator',
    'sys',
    'metric_reader',
  ]);
  const password = text(data?.['password']);
  expect(password).toMatch(/^[\w-]{12}$/);
  expect(await drive(reasonsOf(client))).toContain('MetricReaderFailed');

  sql.trouble = undefined;
  await clock.advance(30_000);
  expect(sql.asked.map(({ target }) => target)).toEqual([
    { host: 'mo-tp-cn.default.svc', port: 6001, credential: { user: 'dump', password: '111' } },
  ]);
  expect(sql.asked[0]?.statements.map((statement) => statement.text)).toEqual([
    'CREATE USER IF NOT EXISTS `mo_operator` IDENTIFIED BY ?',
    'ALTER USER `mo_operator` IDENTIFIED BY ?',
    'CREATE ROLE IF NOT EXISTS `metric_reader`',
    'GRANT connect ON ACCOUNT * TO `metric_reader`',
    'GRANT select ON TABLE system_metrics.* TO `metric_reader`',
    'GRANT `metric_reader` TO `mo_operator`',
  ]);
  expect(sql.asked[0]?.statements[0]?.values).toEqual([password]);
  const now = await drive(client.of(MatrixOneCluster).get(key));
  expect(now.status?.clusterMetrics).toEqual({ initialized: true, secretRef: { name: 'mo-metric' } });
  await clock.advance(600_000);
  expect(sql.asked).toHaveLength(1);
  expect((await secretOf()).data).toEqual(data);
});

test('the user of a cluster of this name that was before is not taken for its own: its Secret is about to go', async () => {
  await using world = await start();
  const { client, clock, drive, made, sql } = world;
  const before = { ...made, metadata: { ...made.metadata, uid: '00000000-0000-4000-8000-000000000000' } };
  const metadata = { ...reader, ownerReferences: [controllerReference(MatrixOneCluster, before)] };
  const secrets = client.of(Secret);
  await drive(secrets.create({ metadata, stringData: { username: 'mo_operator', password: 'old' } }));
  await drive(becomeReady(world));
  await clock.advance(60_000);
  expect(sql.asked).toEqual([]);
  expect(await drive(reasonsOf(client))).toEqual([]);
  await drive(secrets.delete(reader));
  await clock.advance(60_000);
  const { data, metadata: now } = await drive(secrets.get(reader));
  expect(now.ownerReferences?.map(({ uid }) => uid)).toEqual([made.metadata.uid]);
  expect(sql.asked.map(({ statements }) => statements[0]?.values)).toEqual([[text(data?.['password'])]]);
});

test('a cluster that is made anew while the user is made for the one before is not told that it has one', async () => {
  await using world = await start();
  const { client, clock, drive, sql } = world;
  const clusters = client.of(MatrixOneCluster);
  sql.meanwhile = async () => {
    await clusters.delete(key);
    await makeCluster(client);
  };
  await drive(becomeReady(world));
  await clock.advance(60_000);
  expect(sql.asked).toHaveLength(1);
  expect((await drive(clusters.get(key))).status?.clusterMetrics).toBeUndefined();
});

test('a cluster whose status changes while the user is made is told on the next try, and nobody is warned', async () => {
  await using world = await start();
  const { client, clock, drive, sql } = world;
  const clusters = client.of(MatrixOneCluster);
  sql.meanwhile = async () => {
    sql.meanwhile = undefined;
    await clusters.patchStatus(key, merge({ status: { host: 'mo-proxy.default' } }));
  };
  await drive(becomeReady(world));
  await clock.advance(5_000);
  const { status } = await drive(clusters.get(key));
  expect(status?.clusterMetrics).toEqual({ initialized: true, secretRef: { name: 'mo-metric' } });
  expect(new Set(sql.asked.map(({ statements }) => statements[0]?.values?.[0])).size).toBe(1);
  expect(await drive(reasonsOf(client))).toEqual([]);
});

test('the user is made where there are nodes: a group may have none', async () => {
  await using world = await start();
  const { client, clock, drive, sql } = world;
  await drive(makeGroup(client, 'ap', 0));
  await drive(becomeReady(world, ['ap', 'tp']));
  await clock.advance(1_000);
  expect(sql.asked.map(({ target }) => target.host)).toEqual(['mo-tp-cn.default.svc']);
});

test('the user of a database that was restored gets the password that its Secret says', async () => {
  await using world = await start();
  const { client, clock, drive, sql } = world;
  const there = new Map([['mo_operator', 'of-the-backup']]);
  sql.meanwhile = async () => {
    for (const { text: said, values } of sql.asked.at(-1)?.statements ?? []) {
      const [, verb, name = ''] = /^(CREATE|ALTER) USER (?:IF NOT EXISTS )?`(\w+)`/.exec(said) ?? [];
      if (verb === 'ALTER' || (verb && !there.has(name))) there.set(name, String(values?.[0]));
    }
  };
  await drive(becomeReady(world));
  await clock.advance(1_000);
  const { data } = await drive(client.of(Secret).get(reader));
  expect(there.get('mo_operator')).toBe(text(data?.['password']));
});
