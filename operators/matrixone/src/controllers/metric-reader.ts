import { randomBytes } from 'node:crypto';
import { Secret } from '@coxswain/k8s';
import { isReady } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import {
  generationChanged,
  or,
  type ReconcileContext,
  type Reconciler,
  type Result,
  statusChanged,
} from '@coxswain/runtime/controller';
import { isConflict, messageOf } from '@coxswain/runtime/core';
import { createRecorder, type EventRecorder } from '@coxswain/runtime/events';
import type { Manager } from '@coxswain/runtime/manager';
import { CNSet, credentialName, isLeftAlone, MatrixOneCluster, PORT_SQL } from '../api/index.ts';
import { metricPasswordLength, metricReaderOf, metricReaderStatements } from '../children/index.ts';
import { credentialFrom, type SqlService } from '../sql/index.ts';
import { makeOnce } from './secret-once.ts';

/** Milliseconds between two attempts. */
const retryAfter = 30_000;
/** Milliseconds to the next look where something else has to happen, or has happened, and nothing is wrong. */
const lookAgain = 2_000;

export interface MetricReaderOptions {
  readonly sql: SqlService;
  /** So many bytes that nobody can guess. Default: the system's. */
  readonly randomBytes?: (count: number) => Uint8Array;
  readonly recorder: EventRecorder;
}

/**
 * Makes the user that dashboards read a cluster's metrics with (`spec/matrixone.md` §2.14, §7.5): once, when the cluster is ready. Apart from
 * the cluster's own controller, which must not wait for a database.
 */
export class MetricReaderController implements Reconciler {
  readonly #options: MetricReaderOptions;

  constructor(options: MetricReaderOptions) {
    this.#options = options;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const cluster = context.cache.store(MatrixOneCluster).get(context.key);
    if (!cluster || !isWanted(cluster)) return undefined;
    try {
      const host = await hostOf(context, cluster);
      return host === undefined ? { requeueAfter: retryAfter } : await this.#make(context, cluster, host);
    } catch (error) {
      context.signal.throwIfAborted();
      // The cluster has changed meanwhile: as it is now, it is looked at again.
      if (isConflict(error)) return { requeueAfter: lookAgain };
      const message = `the user for metrics could not be made: ${messageOf(error)}`;
      this.#options.recorder.event(MatrixOneCluster, cluster, {
        type: 'Warning',
        reason: 'MetricReaderFailed',
        message,
      });
      context.log.warn({ err: error, cluster: cluster.metadata.name }, message);
      return { requeueAfter: retryAfter };
    }
  }

  async #make({ client, key, signal }: ReconcileContext, cluster: MatrixOneCluster, host: string): Promise<Result> {
    const { name, namespace = '', resourceVersion } = cluster.metadata;
    const secret = await client.of(Secret).get({ namespace, name: credentialName(name) }, { signal });
    const target = { host, port: PORT_SQL, credential: credentialFrom(secret) };
    const { randomBytes: draw = randomBytes, sql } = this.#options;
    const wanted = metricReaderOf(cluster, draw(metricPasswordLength));
    // First the Secret: a user whose password nobody has noted is lost.
    const reader = await makeOnce(client, cluster, wanted, signal);
    if (!reader) return { requeueAfter: retryAfter };
    await sql.run(target, metricReaderStatements(credentialFrom(reader).password), signal);
    const clusterMetrics = { initialized: true, secretRef: { name: wanted.metadata.name } };
    // With the version: a cluster that was made anew meanwhile has no such user.
    const body = { metadata: { resourceVersion }, status: { clusterMetrics } };
    await client.of(MatrixOneCluster).patchStatus(key, merge(body), { signal });
    return undefined;
  }
}

/** Whether the user is wanted, not made, and can be made. */
function isWanted(cluster: MatrixOneCluster): boolean {
  const { spec, status } = cluster;
  if (isLeftAlone(cluster) || !spec.metricReaderEnabled || status?.clusterMetrics?.initialized) return false;
  return isReady(cluster) && groupsOf(cluster).length > 0;
}

const groupsOf = ({ status }: MatrixOneCluster) => status?.cnGroups?.groups?.filter(({ host }) => host) ?? [];

/** The first compute nodes that there are: a group without any is ready, too. Asked of the server, as it is once only. */
async function hostOf(
  { client, key: { namespace = '' }, signal }: ReconcileContext,
  cluster: MatrixOneCluster,
): Promise<string | undefined> {
  for (const { name, host } of groupsOf(cluster)) {
    const set = await client.of(CNSet).find({ namespace, name: name ?? '' }, { signal });
    if (set && set.spec.replicas > 0) return `${host}.svc`;
  }
  return undefined;
}

/** Adds the controller that makes the users for metrics to a manager. */
export function setupMetricReader(manager: Manager, sql: SqlService): void {
  const { client, clock, random, log, name } = manager;
  const reporter = { controller: name, instance: `${name}-metric-reader` };
  const recorder = createRecorder({ client, clock, random, log, reporter });
  manager.add({ name: 'metric-reader-events', start: () => Promise.resolve(), stop: () => recorder.stop() });
  manager
    .controller(MatrixOneCluster, 'metric-reader')
    .where(or(generationChanged, statusChanged))
    .run(new MetricReaderController({ sql, recorder }));
}
