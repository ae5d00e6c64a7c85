import type { StoreRequest } from '../wire/heartbeats.ts';
import { workStateOf } from './answers.ts';
import type { Command, Labels, ReplicaRecord } from './state.ts';

type Lists = ReadonlyMap<string, { readonly labels: readonly string[] }>;
const labelsOf = (lists: Lists): Labels => Object.fromEntries([...lists].map(([key, { labels }]) => [key, labels]));

type Replicas = NonNullable<StoreRequest['logHeartbeat']>['replicas'];

function replicasOf(replicas: Replicas): readonly ReplicaRecord[] {
  return replicas.map(({ shard, replicaId }) => ({
    shardId: Number(shard?.shardId ?? 0n),
    replicaId: Number(replicaId),
    leaderId: Number(shard?.leaderId ?? 0n),
    term: Number(shard?.term ?? 0n),
  }));
}

function heartbeatOf(request: StoreRequest, now: number): Command | undefined {
  const { logHeartbeat, cnHeartbeat, tnHeartbeat, proxyHeartbeat } = request;
  if (request.method === 7 && logHeartbeat) {
    const { uuid, replicas, ...store } = logHeartbeat;
    return { kind: 'log', uuid, store: { ...store, replicas: replicasOf(replicas) } };
  }
  if (request.method === 8 && cnHeartbeat) {
    const { uuid, initWorkState, ...store } = cnHeartbeat;
    return { kind: 'cn', uuid, now, store: { ...store, initWorkState: workStateOf(initWorkState) } };
  }
  if (request.method === 9 && tnHeartbeat) {
    const { uuid, ...store } = tnHeartbeat;
    return { kind: 'tn', uuid, store };
  }
  if (request.method === 19 && proxyHeartbeat) {
    const { uuid, ...store } = proxyHeartbeat;
    return { kind: 'proxy', uuid, store };
  }
  return undefined;
}

/** What a request changes; `undefined` for one that changes nothing, or that this release does not know. */
export function commandOf(request: StoreRequest, now: number): Command | undefined {
  const { method, cnStoreLabel, cnWorkState, cnStateLabel, deleteCnStore } = request;
  if (method === 15 && cnStoreLabel)
    return { kind: 'patch', uuid: cnStoreLabel.uuid, labels: labelsOf(cnStoreLabel.labels) };
  if (method === 16 && cnWorkState) return { kind: 'patch', uuid: cnWorkState.uuid, workState: cnWorkState.state };
  if (method === 17 && cnStateLabel) {
    const { uuid, state, labels } = cnStateLabel;
    // State 0 is Working; no labels are labels left alone.
    return { kind: 'patch', uuid, workState: state || 1, ...(labels.size > 0 ? { labels: labelsOf(labels) } : {}) };
  }
  if (method === 18 && deleteCnStore) return { kind: 'delete', uuid: deleteCnStore.storeId, now };
  return heartbeatOf(request, now);
}
