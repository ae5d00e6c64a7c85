import type { KubeObject } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { type ActorContext, type Dependency, Resync } from '@coxswain/runtime/actor';
import { isReady, isTrueAt } from '@coxswain/runtime/apply';
import type { ObjectKey } from '@coxswain/runtime/core';
import { DNSet, LogSet, logSetNames, type ObjectDependency, type SharedStorage } from '../api/index.ts';
import type { LogService } from '../config/index.ts';
import { reservedOrdinals } from './ordinals.ts';

/** What a set says about the sets it needs. */
export interface SetDependencies {
  readonly externalLogSet?: { readonly haKeeperEndpoint: string };
  readonly logSet?: ObjectDependency;
  readonly dnSet?: ObjectDependency;
}

function keyFrom(object: KubeObject, reference: ObjectDependency | undefined): ObjectKey | undefined {
  const name = reference?.metadata?.name;
  if (!name) return undefined;
  const namespace = reference.metadata?.namespace || object.metadata.namespace || '';
  return { namespace, name };
}

/** Ready, and done with its newest spec. */
function isSettled(object: KubeObject): boolean {
  return isReady(object) && isTrueAt(object, 'Synced');
}

/** The sets that must be settled before this one is worked on. */
export function dependenciesOf(object: KubeObject & { readonly deps?: SetDependencies }): readonly Dependency[] {
  const log = keyFrom(object, object.deps?.logSet);
  const dn = keyFrom(object, object.deps?.dnSet);
  return [
    ...(log ? [{ kind: LogSet, key: log, ready: isSettled }] : []),
    ...(dn ? [{ kind: DNSet, key: dn, ready: isSettled }] : []),
  ];
}

/** The LogSet that a set depends on, as far as it is known; none of an external one. */
export function logSetOf<T extends KubeObject & { readonly deps?: SetDependencies }>(
  context: Pick<ActorContext<T>, 'object' | 'store'>,
): LogSet | undefined {
  const key = keyFrom(context.object, context.object.deps?.logSet);
  return key && context.store(LogSet).get(key);
}

/** The log service as a dependant needs it. */
export interface LogView {
  readonly service: LogService;
  readonly storage: SharedStorage;
}

/**
 * Reads the log service a set depends on. Without its StatefulSet nothing is known of its ordinals, and an empty list
 * would cut the dependant off: it waits instead. Of an external one only the address is known. @throws Resync
 */
export function logView<T extends KubeObject & { readonly deps?: SetDependencies }>(context: ActorContext<T>): LogView {
  const endpoint = context.object.deps?.externalLogSet?.haKeeperEndpoint;
  if (endpoint !== undefined) return { service: { name: '', namespace: '', replicas: 0, endpoint }, storage: {} };
  const key = keyFrom(context.object, context.object.deps?.logSet);
  const log = key && context.store(LogSet).get(key);
  if (!key || !log) throw new Resync(`LogSet ${key?.name ?? ''} does not exist yet`);
  const namespace = key.namespace ?? '';
  const { workload } = logSetNames(key.name);
  const stores = context.store(KruiseStatefulSet).get({ namespace, name: workload });
  if (!stores) throw new Resync(`StatefulSet ${workload} of LogSet ${key.name} does not exist yet`);
  return {
    service: {
      name: key.name,
      namespace,
      replicas: log.spec.replicas,
      reserveOrdinals: reservedOrdinals(stores),
    },
    storage: log.spec.sharedStorage,
  };
}
