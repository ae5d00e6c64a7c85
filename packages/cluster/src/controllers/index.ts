/**
 * The control plane's controllers, each on the runtime and reaching the server only through its client. A folder per noun.
 * They know kinds and the client; never the API server's insides.
 */
import type { Manager } from '@coxswain/runtime/manager';
import { certificateControllers, type RequestAuthority } from './certificates/index.ts';
import { cronJobController } from './cronjob/index.ts';
import { daemonSetController } from './daemonset/index.ts';
import { deploymentController } from './deployment/index.ts';
import { disruptionControllers } from './disruption/index.ts';
import { endpointsControllers } from './endpoints/index.ts';
import { garbageCollector } from './gc/index.ts';
import { jobController } from './job/index.ts';
import { monitorKinds } from './kinds/index.ts';
import { namespaceController } from './namespace/index.ts';
import { nodeLifecycleControllers } from './node-lifecycle/index.ts';
import { podGarbageCollector } from './podgc/index.ts';
import { quotaController } from './quota/index.ts';
import { replicaSetControllers } from './replicaset/index.ts';
import { statefulSetController } from './statefulset/index.ts';
import { taintEvictionController } from './taint-eviction/index.ts';
import { type TokenSource, tokenSecretController } from './token-secrets/index.ts';
import { volumeControllers } from './volume/index.ts';

export { kruiseControllers, kruiseCrds } from './kruise/index.ts';
export type { TokenSource } from './token-secrets/index.ts';
export { storageDriver } from './volume/index.ts';

/** Adds the garbage collector, the namespace and the quota controller, which work on the metadata of every kind. */
export function cleanupControllers(manager: Manager): void {
  const monitors = monitorKinds(manager);
  garbageCollector(manager, monitors);
  namespaceController(manager, monitors);
  quotaController(manager, monitors);
}

/** What the controllers of workloads, nodes and tokens are to know. */
export interface ControllerOptions {
  readonly tokens: TokenSource;
  /** What signs certificates that are asked for. */
  readonly authority: RequestAuthority;
  /** Milliseconds without a sign of life after which a node is unknown; default 50 000. */
  readonly nodeMonitorGracePeriod?: number | undefined;
}

/** Adds the controllers of the built-in workloads, services, volumes, nodes and tokens. */
export function workloadControllers(manager: Manager, options: ControllerOptions): void {
  const { tokens, authority, nodeMonitorGracePeriod } = options;
  tokenSecretController(manager, tokens);
  certificateControllers(manager, authority);
  nodeLifecycleControllers(manager, nodeMonitorGracePeriod);
  for (const add of [
    deploymentController,
    replicaSetControllers,
    disruptionControllers,
    statefulSetController,
    daemonSetController,
    jobController,
    cronJobController,
    endpointsControllers,
    volumeControllers,
    podGarbageCollector,
    taintEvictionController,
  ])
    add(manager);
}
