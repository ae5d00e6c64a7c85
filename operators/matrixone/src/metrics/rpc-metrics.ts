import type { HistogramSpec, MetricsRegistry } from '@coxswain/runtime/metrics';
import type { FinishedCall } from '../morpc/index.ts';

/** Seconds. Calls have ten at most; what takes less than a tenth is all the same. */
const buckets = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10];

export const cnRpcDuration: HistogramSpec = {
  name: 'mo_operator_cn_rpc_duration',
  help: 'Seconds that calls to compute nodes take, by command, address, and whether there was an answer',
  labels: ['type', 'pod', 'response'],
  buckets,
};

export const haKeeperRpcDuration: HistogramSpec = {
  name: 'mo_operator_hakeeper_rpc_duration',
  help: 'Seconds that calls to HAKeeper take, by method, LogSet, and whether there was an answer',
  labels: ['type', 'logset', 'response'],
  buckets,
};

/** Pods come and go, and their series stay as long as the process does: no more than so many are told apart. */
const mostPeers = 1_000;

/** `ns/name` of the LogSet whose store or Service has such an address; the address where it is none of ours. */
export function logSetAt(address: string): string {
  const [, name, namespace] = /(?:^|\.)([a-z0-9-]+)-log-(?:discovery|headless)\.([a-z0-9-]+)\.svc/.exec(address) ?? [];
  return name === undefined ? address : `${namespace}/${name}`;
}

/** Counts calls of MatrixOne's services: to be told of each one that is over. */
export function rpcMetrics(registry: MetricsRegistry): (call: FinishedCall) => void {
  const nodes = registry.histogram(cnRpcDuration);
  const keepers = registry.histogram(haKeeperRpcDuration);
  const peers = new Set<string>();
  const known = (peer: string) => {
    if (peers.size < mostPeers) peers.add(peer);
    return peers.has(peer) ? peer : 'other';
  };
  return ({ service, address, method, milliseconds, answered }) => {
    const response = answered ? 'ok' : 'error';
    const seconds = milliseconds / 1000;
    if (service === 'log service') {
      keepers.observe({ type: method, logset: known(logSetAt(address)), response }, seconds);
    } else if (service === 'query service') {
      const type = `${method.slice(0, 1).toUpperCase()}${method.slice(1)}`;
      nodes.observe({ type, pod: known(address), response }, seconds);
    }
  };
}
