import type { Condition, KubeObject, Pod } from '@coxswain/k8s';
import { conditionsOf } from '@coxswain/runtime/apply';
import type { StoreEvent } from '@coxswain/runtime/cache';
import { annotationsChanged, generationChanged, labelsChanged, or, type Predicate } from '@coxswain/runtime/controller';
import { CONDITION_CN_STORE } from '../api/index.ts';
import { isPodReady } from './store-status.ts';

function onUpdate<T extends KubeObject>(changed: (now: T, before: T) => boolean): Predicate<T> {
  return (event: StoreEvent<T>) => event.type !== 'updated' || changed(event.object, event.previous);
}

/** What the gate of a compute node says; of its message only while it drains, when that goes into the set's condition. */
const gateOf = (pod: Pod) => {
  const gate = pod.status?.conditions?.find(({ type }) => type === CONDITION_CN_STORE);
  return gate && [gate.status, gate.reason, gate.reason === 'CNStorePrepareStop' ? gate.message : ''].join();
};

/** A pod changed in a way that its set's status tells of. Most of a pod's changes on its way up do not. */
export const podMatters: Predicate<Pod> = or(
  generationChanged,
  labelsChanged,
  annotationsChanged,
  onUpdate<Pod>((now, before) => isPodReady(now) !== isPodReady(before) || gateOf(now) !== gateOf(before)),
);

/** Reasons whose words change on the way to what is wanted, which the cluster does not repeat. */
const onTheWay: ReadonlySet<string> = new Set(['Waiting', 'Reconciling', 'DependencyNotReady', 'NodesDraining']);

const verdict = ({ type, status, reason, message, observedGeneration }: Condition) =>
  [type, status, reason, observedGeneration, onTheWay.has(reason) ? '' : message].join();

/** A set changed in a way that its cluster's conditions tell of: what it says on the way does not wake the cluster. */
export const setMatters: Predicate<KubeObject> = or(
  generationChanged,
  labelsChanged,
  onUpdate((now, before) => conditionsOf(now).map(verdict).join(' ') !== conditionsOf(before).map(verdict).join(' ')),
);
