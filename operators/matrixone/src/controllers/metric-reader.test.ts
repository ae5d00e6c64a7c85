// What the server runs the rules of CRDs with, and loads when it meets one: no virtual time passes while files are read.
import '@coxswain/schema/cel';
import { startCluster } from '@coxswain/cluster';
import { Secret } from '@coxswain/k8s';
import { installCrds } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { formatTime, seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { eventKind } from '@coxswain/runtime/events';
import { createManager } from '@coxswain/runtime/manager';
import { expect, test } from 'vitest';
import { MatrixOneCluster } from '../api/index.ts';
import { credentialOf } from '../children/index.ts';
import type { SqlService, SqlStatement, SqlTarget } from '../sql/index.ts';
import { setupMetricReader } from './metric-reader.ts';

const key = { namespace: 'default', name: 'mo' };
const text = (data: string | undefined) => Buffer.from(data ?? '', 'base64').toString();

/** A database that notes what it is asked. */
class TestSql implements SqlService {
  readonly asked: { readonly target: SqlTarget; readonly statements: readonly SqlStatement[] }[] = [];
  trouble: Error | undefined;

  async run(target: SqlTarget, statements: readonly SqlStatement[]): Promise<[]> {
    if (this.trouble) throw this.trouble;
    this.asked.push({ target, statements });
    return [];
  }
}

test('the user for metrics is made once the cluster is ready, and once only', async () => {
  const clock = new VirtualClock();
  const [random, log, sql] = [seededRandom(1), silentLogger, new TestSql()];
  const drive = <T>(promise: Promise<T>) => clock.drive(promise, { limit: 60_000 });
  const cluster = await drive(startCluster({ clock, random, log, controlPlane: false }));
  const { client } = cluster;
  await drive(installCrds(client, [MatrixOneCluster.crd()], { clock }));
  const manager = createManager({ client, name: 'test', clock, random, log });
  setupMetricReader(manager, sql);
  await drive(manager.start());

  const logService = { replicas: 1, volume: { size: '1Gi' }, sharedStorage: { fileSystem: { path: '/x' } } };
  const spec = { version: '2.1.0', metricReaderEnabled: true, logService, tn: { replicas: 1 }, cnGroups: [] };
  const created = await drive(
    client.of(MatrixOneCluster).create({ metadata: key, spec } as unknown as MatrixOneCluster),
  );
  await drive(client.of(Secret).create(credentialOf(created)));
  await clock.advance(60_000);
  expect(sql.asked).toEqual([]);

  sql.trouble = new Error('SQL at mo-tp-cn.default.svc:6001: connect: no answer within 10s');
  const ready = { type: 'Ready', status: 'True', reason: 'AllSetsReady', message: '' };
  const status = {
    conditions: [{ ...ready, lastTransitionTime: formatTime(clock.now()) }],
    cnGroups: { groups: [{ name: 'mo-tp', host: 'mo-tp-cn.default' }] },
  };
  await drive(client.of(MatrixOneCluster).patchStatus(key, merge({ status })));
  await clock.advance(1_000);
  const secretOf = () => drive(client.of(Secret).get({ namespace: 'default', name: 'mo-metric' }));
  const { data } = await secretOf();
  expect([data?.['username'], data?.['account'], data?.['role']].map(text)).toEqual([
    'mo_operator',
    'sys',
    'metric_reader',
  ]);
  const password = text(data?.['password']);
  expect(password).toMatch(/^[\w-]{12}$/);
  const { items } = await drive(client.of(eventKind).list({ namespace: 'default' }));
  expect(items.map(({ reason }) => reason)).toContain('MetricReaderFailed');

  sql.trouble = undefined;
  await clock.advance(30_000);
  expect(sql.asked.map(({ target }) => target)).toEqual([
    { host: 'mo-tp-cn.default.svc', port: 6001, credential: { user: 'dump', password: '111' } },
  ]);
  expect(sql.asked[0]?.statements.map((statement) => statement.text)).toEqual([
    'CREATE USER IF NOT EXISTS `mo_operator` IDENTIFIED BY ?',
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
  await drive(manager.stop());
  await drive(cluster.stop());
});
