import { randomBytes } from 'node:crypto';
import { Secret } from '@coxswain/k8s';
import { controllerReference, isReady } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import {
  generationChanged,
  or,
  type ReconcileContext,
  type Reconciler,
  type Result,
  statusChanged,
} from '@coxswain/runtime/controller';
import { isAlreadyExists, messageOf } from '@coxswain/runtime/core';
import { createRecorder, type EventRecorder } from '@coxswain/runtime/events';
import type { Manager } from '@coxswain/runtime/manager';
import { ANNOTATION_SKIP_SYNC, credentialName, MatrixOneCluster, PORT_SQL } from '../api/index.ts';
import { metricPasswordLength, metricReaderOf, metricReaderStatements } from '../children/index.ts';
import { credentialFrom, type SqlService } from '../sql/index.ts';

/** Milliseconds between two attempts. */
const retryAfter = 30_000;

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
    const host = cluster && hostFor(cluster);
    if (!cluster || host === undefined) return undefined;
    try {
      await this.#make(context, cluster, host);
      return undefined;
    } catch (error) {
      context.signal.throwIfAborted();
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

  async #make({ client, key, signal }: ReconcileContext, cluster: MatrixOneCluster, host: string): Promise<void> {
    const { namespace = '', name } = cluster.metadata;
    const secrets = client.of(Secret);
    const admin = credentialFrom(await secrets.get({ namespace, name: credentialName(name) }, { signal }));
    const { randomBytes: draw = randomBytes, sql } = this.#options;
    const wanted = metricReaderOf(cluster, draw(metricPasswordLength));
    // First the Secret: a user whose password nobody has noted is lost.
    const reader = await secrets
      .create(
        {
          ...wanted,
          metadata: { ...wanted.metadata, ownerReferences: [controllerReference(MatrixOneCluster, cluster)] },
        },
        { signal },
      )
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
        return secrets.get({ namespace, name: wanted.metadata.name }, { signal });
      });
    const { password } = credentialFrom(reader);
    const target = { host, port: PORT_SQL, credential: admin };
    await sql.run(target, metricReaderStatements(password), signal);
    const clusterMetrics = { initialized: true, secretRef: { name: wanted.metadata.name } };
    await client.of(MatrixOneCluster).patchStatus(key, merge({ status: { clusterMetrics } }), { signal });
  }
}

/** The compute nodes that are asked, when the user is wanted, not made, and can be made. */
function hostFor(cluster: MatrixOneCluster): string | undefined {
  const { metadata, spec, status } = cluster;
  if (metadata.deletionTimestamp || metadata.annotations?.[ANNOTATION_SKIP_SYNC]) return undefined;
  if (!spec.metricReaderEnabled || status?.clusterMetrics?.initialized || !isReady(cluster)) return undefined;
  const host = status?.cnGroups?.groups?.find((group) => group.host)?.host;
  return host && `${host}.svc`;
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
