import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { type Client, type Connection, clientMetrics, createClient, httpTransport } from '@coxswain/runtime/client';
import { type Logger, randomUuid, systemRandom } from '@coxswain/runtime/core';
import { createManager, type Manager } from '@coxswain/runtime/manager';
import { prometheusMetrics } from '@coxswain/runtime/metrics';
import { healthServer, metricsServer } from '@coxswain/runtime/serving';
import { type CertificateSource, certificatesFromFiles, selfSigned, webhookServer } from '@coxswain/runtime/webhook';
import { matrixoneWebhooks } from '../admission/index.ts';
import type { BackupOptions } from '../backup/index.ts';
import { rpcMetrics, withConditions } from '../metrics/index.ts';
import { matrixoneOperator } from '../operator.ts';
import type { MatrixOneOptions } from '../options.ts';
import { mysqlService } from '../sql/index.ts';
import { addCnStores } from './cn-stores.ts';
import type { OperatorConfig } from './config.ts';
import type { Address, Flags } from './flags.ts';

/** Of the lease that replicas compete for: the upstream operator's, so that never both act while one replaces the other. */
export const leaseName = '0c8ab548.matrixorigin.io';

/** Which pod this is. */
export interface PodFacts {
  readonly name: string;
  readonly namespace: string;
  /** The pod's address. */
  readonly ip?: string;
}

interface Parts {
  readonly flags: Flags;
  readonly config: OperatorConfig;
  readonly connection: Connection;
  readonly pod: PodFacts;
  readonly log: Logger;
  /** Whether webhooks are served. */
  readonly webhooks: boolean;
  /** Whether what a spec leaves out is filled in. */
  readonly defaults: boolean;
}

/** The operator's manager, with probes, metrics and webhooks, ready to be started. */
export async function setUp(parts: Parts): Promise<Manager> {
  const { flags, config, connection, pod, log } = parts;
  const registry = await prometheusMetrics();
  const interceptors = [clientMetrics(registry, { host: new URL(connection.server).host })];
  const client: Client = createClient({
    transport: httpTransport(connection),
    interceptors,
    fieldManager: 'matrixone-operator',
  });
  const election = { namespace: pod.namespace, lease: leaseName, identity: `${pod.name}_${randomUuid(systemRandom)}` };
  const manager = createManager({
    client,
    name: 'matrixone-operator',
    log,
    metrics: registry,
    ...(config.onlyOwnNamespace ? { namespace: pod.namespace } : {}),
    ...(flags.leaderElect ? { election } : {}),
  });
  const scraped = withConditions(registry, manager.cache);
  if (flags.metrics) manager.add(metricsServer({ registry: scraped, ...listening(flags.metrics, pod) }));
  if (flags.health) manager.add(healthServer({ manager, ...listening(flags.health, pod) }));
  if (parts.webhooks) {
    const { serviceArgs, gates, onlyOwnNamespace } = config;
    // Whoever may look into one namespace only cannot tell whose a bucket is.
    const webhooks = matrixoneWebhooks({ serviceArgs, s3Reclaim: gates.s3Reclaim && !onlyOwnNamespace });
    const serving = { client, webhooks, certificates: certificatesOf(parts), log, metrics: registry };
    manager.add(webhookServer({ ...serving, ...listening({ port: 9443 }, pod) }));
  }
  const { clock, random } = manager;
  const cnStores = addCnStores(manager, {
    cnLabel: config.gates.cnLabel,
    clock,
    random,
    log,
    onCall: rpcMetrics(registry),
  });
  const { gates } = config;
  const serviceArgs = { ...config.serviceArgs, bare: !parts.defaults };
  tellGates(config, log);
  matrixoneOperator.setup(manager, {
    cnStores,
    proxies: gates.proxySupport,
    pools: gates.cnPool,
    sql: mysqlService({ clock }),
    serviceArgs,
    failover: flags.failover,
    backup: backupsOf(config),
    ...bucketsOf(parts),
  });
  return manager;
}

/** Whoever asks for what is off waits for nobody; the log says why. */
function tellGates({ gates }: OperatorConfig, log: Logger): void {
  const off = Object.entries(gates)
    .filter(([, on]) => !on)
    .map(([gate]) => gate);
  if (off.length > 0) log.info({ gates: off }, 'feature gates are off: what they stand for is not acted on');
}

/** Off without the gate: then nobody acts on backups, and a cluster that is to start from one says so. */
export function backupsOf({
  gates,
  backupImage,
}: Pick<OperatorConfig, 'gates' | 'backupImage'>): BackupOptions | false {
  return gates.backupRestore && (backupImage ? { image: backupImage } : {});
}

function bucketsOf({
  config: { gates, bucketCleanImage, onlyOwnNamespace },
  pod,
}: Parts): Pick<MatrixOneOptions, 'buckets'> {
  if (!gates.s3Reclaim) return {};
  const cleanImage = bucketCleanImage ? { cleanImage: bucketCleanImage } : {};
  return {
    buckets: {
      ...cleanImage,
      operatorNamespace: pod.namespace,
      ...(onlyOwnNamespace ? { namespace: pod.namespace } : {}),
    },
  };
}

function certificatesOf({ flags, config: { webhook }, pod: { namespace } }: Parts): CertificateSource {
  if (!webhook) {
    const at = (name: string) => join(flags.certificateDirectory, name);
    return certificatesFromFiles({ cert: at('tls.crt'), key: at('tls.key') });
  }
  return selfSigned({
    secret: { namespace, name: webhook.secret },
    service: { namespace, name: webhook.service },
    inject: { mutatingConfigurations: [webhook.mutating], validatingConfigurations: [webhook.validating] },
  });
}

/**
 * A pod's address is that of an interface of its own network, unless pods share the network of a machine: one that listened at all addresses
 * would be in the way of the others there.
 */
function listening(address: Address, { ip }: PodFacts): Address {
  if (address.host !== undefined || ip === undefined) return address;
  const own = Object.values(networkInterfaces()).flat();
  return own.some((one) => one?.address === ip) ? address : { ...address, host: ip };
}
