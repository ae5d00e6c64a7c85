import type { Pod } from '@coxswain/k8s';
import { messageOf } from '@coxswain/runtime/core';
import { ANNOTATION_CONNECTIONS, ANNOTATION_SCORE, DELETION_COST } from '../api/index.ts';
import { runsSince } from './main-container.ts';
import type { Pass } from './pass.ts';
import { changeMetadata } from './pod-writes.ts';
import type { StoreLoad } from './service.ts';

/** What a pod's annotations say of its node's load: for OpenKruise, which takes the cheapest pod first, and for people. */
export function loadMarks(pod: Pod, load: StoreLoad): Readonly<Record<string, string>> {
  const { sessions, pipelines, replicas } = load;
  const score = {
    sessionCount: sessions,
    pipelineCount: pipelines,
    replicaCount: replicas,
    startedTime: runsSince(pod) ?? null,
  };
  return {
    [ANNOTATION_SCORE]: JSON.stringify(score),
    [ANNOTATION_CONNECTIONS]: String(sessions + pipelines),
    [DELETION_COST]: String(sessions),
  };
}

/** Notes the load of a node that runs; what is not known leaves the numbers as they are. */
export async function noteLoad(pass: Pass): Promise<void> {
  const { client, log, pod, service, store, signal } = pass;
  if (runsSince(pod) === undefined) return;
  const load = await service.load(store, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    log.debug({ pod: store.podName, error: messageOf(error) }, 'the load of a compute node is not known');
    return undefined;
  });
  if (load) await changeMetadata(client, pod, { annotations: loadMarks(pod, load) }, signal);
}
