import { type Client, type Connection, clientMetrics, createClient, httpTransport } from '@coxswain/runtime/client';
import { type Logger, randomUuid, systemRandom } from '@coxswain/runtime/core';
import { createManager, type Manager } from '@coxswain/runtime/manager';
import { prometheusMetrics } from '@coxswain/runtime/metrics';
import { healthServer, metricsServer } from '@coxswain/runtime/serving';
import { matrixoneOperator } from '../operator.ts';
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
}

/** The operator's manager, with probes and metrics, ready to be started. */
export async function setUp({ flags, config, connection, pod, log }: Parts): Promise<Manager> {
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
    ...(flags.leaderElect ? { election } : {}),
  });
  if (flags.metrics) manager.add(metricsServer({ registry, ...listening(flags.metrics, pod) }));
  if (flags.health) manager.add(healthServer({ manager, ...listening(flags.health, pod) }));
  matrixoneOperator.setup(manager, { serviceArgs: config.serviceArgs, failover: flags.failover });
  return manager;
}

/** Pods with an address of the loopback range share that range: one that listened at all addresses would be in the way of the others. */
function listening(address: Address, { ip }: PodFacts): Address {
  return address.host === undefined && ip?.startsWith('127.') ? { ...address, host: ip } : address;
}
