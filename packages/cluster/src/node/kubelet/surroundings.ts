import type { Node, Pod, Service } from '@coxswain/k8s';
import type { Clock, Logger } from '@coxswain/runtime/core';
import type { FindObject } from '../find-object.ts';
import type { ContainerRuntime } from '../runtime.ts';
import type { PodVolumes } from '../volumes/index.ts';

export type EventType = 'Normal' | 'Warning';

/** What the pods of one node have around them. */
export interface PodSurroundings {
  readonly clock: Clock;
  readonly log: Logger;
  readonly runtime: ContainerRuntime;
  /** `undefined` while the node has none. */
  readonly hostIP: string;
  readonly find: FindObject;
  readonly volumes: PodVolumes;
  /** Of all namespaces, now. */
  readonly services: () => Iterable<Service>;
  readonly node: () => Node | undefined;
  /** Writes an event about a pod, or about a part of it. */
  readonly tell: (pod: Pod, type: EventType, reason: string, message: string, fieldPath?: string) => void;
  /** Whether what a pod waits for is written before it is done: where it takes a moment, and somebody may look. */
  readonly stepwise: boolean;
  /** Something has happened to the pod: it is to be looked at. */
  readonly touched: (pod: Pod) => void;
}
