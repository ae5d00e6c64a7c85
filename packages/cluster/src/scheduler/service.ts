import {
  CSINode,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  Service,
  StatefulSet,
  StorageClass,
} from '@coxswain/k8s';
import type { Informer, StoreEvent } from '@coxswain/runtime/cache';
import { deepEqual, keyOf, keyString, parseKey } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import type { Manager, Runnable } from '@coxswain/runtime/manager';
import { controllerRecorder } from '../controllers/workload/recorder.ts';
import { concernedBy } from './concerns.ts';
import { Nominations } from './nominations.ts';
import type { Lookups } from './plugins/index.ts';
import { SchedulingQueue, type Waiting } from './queue.ts';
import { Scheduler } from './scheduler.ts';
import { ClusterState } from './state/cluster-state.ts';
import { podInfo } from './state/pod-info.ts';
import { VolumeBinder } from './volumes/volume-binder.ts';

/** The scheduler that pods ask for unless they name another. */
const schedulerName = 'default-scheduler';

/** Whether a pod waits for a node of ours. */
function isOurs({ spec, status }: Pod): boolean {
  if (spec?.nodeName || (spec?.schedulerName ?? schedulerName) !== schedulerName) return false;
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return false;
  return !spec?.schedulingGates?.length;
}

function holds({ spec, status }: Pod): boolean {
  return Boolean(spec?.nodeName) && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

function informersOf(manager: Manager) {
  const { cache } = manager;
  return {
    nodes: cache.informer(Node),
    pods: cache.informer(Pod),
    namespaces: cache.informer(Namespace),
    claims: cache.informer(PersistentVolumeClaim),
    volumes: cache.informer(PersistentVolume),
    storageClasses: cache.informer(StorageClass),
    csiNodes: cache.informer(CSINode),
    budgets: cache.informer(PodDisruptionBudget),
    services: cache.informer(Service),
    replicaSets: cache.informer(ReplicaSet),
    statefulSets: cache.informer(StatefulSet),
    replicationControllers: cache.informer(ReplicationController),
  };
}

type Informers = ReturnType<typeof informersOf>;

function lookupsIn(informers: Informers, isReserved: (volume: string) => boolean): Lookups {
  return {
    claim: (namespace, name) => informers.claims.store.get({ namespace, name }),
    volume: (name) => informers.volumes.store.get({ name }),
    volumes: () => informers.volumes.store.list(),
    isReserved,
    storageClass: (name) => informers.storageClasses.store.get({ name }),
    csiNode: (name) => informers.csiNodes.store.get({ name }),
    services: (namespace) => informers.services.store.list({ namespace }),
    replicaSet: (namespace, name) => informers.replicaSets.store.get({ namespace, name }),
    statefulSet: (namespace, name) => informers.statefulSets.store.get({ namespace, name }),
    replicationController: (namespace, name) => informers.replicationControllers.store.get({ namespace, name }),
  };
}

/** The scheduler's life: from the first lists of what it depends on to the last decision. */
export class SchedulerService implements Runnable {
  readonly name = 'scheduler';
  readonly #manager: Manager;
  readonly #recorder: EventRecorder;
  readonly #queue: SchedulingQueue;
  readonly #nominations = new Nominations();
  #informers: Informers | undefined;
  #scheduler: Scheduler | undefined;
  #volumes: VolumeBinder | undefined;
  #running: Promise<void> | undefined;

  constructor(manager: Manager) {
    this.#manager = manager;
    this.#recorder = controllerRecorder(manager, schedulerName);
    this.#queue = new SchedulingQueue(manager.clock);
  }

  get idle(): boolean {
    return this.#scheduler?.idle ?? true;
  }

  async start(): Promise<void> {
    const { client, clock, random, log } = this.#manager;
    const informers = informersOf(this.#manager);
    const state = new ClusterState((name) => informers.namespaces.store.get({ name })?.metadata.labels);
    const lookups = lookupsIn(informers, (volume) => volumes.isReserved(volume));
    const volumes = new VolumeBinder(client, clock, lookups);
    this.#informers = informers;
    this.#volumes = volumes;
    this.#scheduler = new Scheduler({
      ...{ client, clock, random, log, recorder: this.#recorder, state, lookups, volumes },
      queue: this.#queue,
      nominations: this.#nominations,
      budgets: () => informers.budgets.store.list(),
      pod: (key) => informers.pods.store.get(parseKey(key)),
    });
    this.#listen(informers, state, volumes);
    await Promise.all(Object.values(informers).map((informer) => informer.synced));
    this.#running = this.#scheduler.run();
  }

  async stop(): Promise<void> {
    this.#queue.close();
    this.#volumes?.close();
    await this.#running;
    for (const informer of Object.values(this.#informers ?? {})) informer.release();
  }

  #listen(informers: Informers, state: ClusterState, volumes: VolumeBinder): void {
    const queue = this.#queue;
    informers.nodes.onEvent((event) => this.#takeNode(event, state));
    informers.pods.onEvent((event) => this.#takePod(event, state, volumes));
    informers.namespaces.onEvent((event) => {
      if (event.type !== 'updated' || deepEqual(event.object.metadata.labels, event.previous.metadata.labels)) return;
      state.namespacesChanged();
      queue.happened('namespace');
    });
    informers.claims.onEvent(({ type, object }) => {
      volumes.look();
      const key = keyOf(object);
      const uses = (_plugin: string, { info }: Waiting) =>
        info.namespace === key.namespace && info.claims.includes(key.name);
      if (type !== 'deleted') queue.happened('claim', uses);
    });
    informers.volumes.onEvent(({ type }) => {
      volumes.look();
      if (type !== 'deleted') queue.happened('volume');
    });
    this.#wakeBy(informers.storageClasses, 'storage-class');
    this.#wakeBy(informers.csiNodes, 'csi-node');
  }

  #wakeBy(informer: Informer<StorageClass> | Informer<CSINode>, event: 'storage-class' | 'csi-node'): void {
    const wake = ({ type }: { readonly type: string }) => {
      if (type !== 'deleted') this.#queue.happened(event);
    };
    informer.onEvent(wake);
  }

  #takeNode(event: StoreEvent<Node>, state: ClusterState): void {
    const queue = this.#queue;
    state.takeNode(event);
    if (event.type !== 'updated') {
      queue.happened(event.type === 'added' ? 'node-added' : 'node-gone');
      return;
    }
    const { object, previous } = event;
    if (!deepEqual(object.status?.allocatable, previous.status?.allocatable)) queue.happened('node-capacity');
    if (!deepEqual(object.metadata.labels, previous.metadata.labels)) queue.happened('node-labels');
    if (
      !deepEqual(object.spec?.taints, previous.spec?.taints) ||
      object.spec?.unschedulable !== previous.spec?.unschedulable
    )
      queue.happened('node-taints');
  }

  #takePod(event: StoreEvent<Pod>, state: ClusterState, volumes: VolumeBinder): void {
    const { object, type } = event;
    const key = keyString(keyOf(object));
    state.takePod(event);
    if (type === 'deleted') {
      this.#nominations.delete(key);
      volumes.forget(object.metadata.uid ?? '');
    }
    if (type === 'deleted' || !isOurs(object)) this.#queue.remove(key);
    else this.#takePending(event, key);
    this.#tellOthers(event, state);
  }

  #takePending(event: StoreEvent<Pod>, key: string): void {
    const { object } = event;
    const info = podInfo(object);
    const promised = object.status?.nominatedNodeName;
    if (event.type === 'added' && promised) this.#nominations.set(info, promised);
    this.#queue.add(info);
    if (event.type !== 'updated') return;
    const { previous } = event;
    const changed =
      object.metadata.generation !== previous.metadata.generation ||
      object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
      !deepEqual(object.metadata.labels, previous.metadata.labels) ||
      !deepEqual(object.spec, previous.spec);
    if (changed) this.#queue.activate(key);
  }

  /** What the event of a pod with a node means for those that wait. */
  #tellOthers(event: StoreEvent<Pod>, state: ClusterState): void {
    const queue = this.#queue;
    const { object } = event;
    const held = event.type === 'updated' ? holds(event.previous) : event.type === 'deleted';
    const isHolding = event.type !== 'deleted' && holds(object);
    const concerns = concernedBy(object, state);
    if (held && !isHolding) queue.happened('pod-gone', concerns);
    else if (!held && isHolding) queue.happened('pod-placed', concerns);
    else if (event.type === 'updated' && isHolding) {
      const { metadata } = event.previous;
      const leaves = metadata.deletionTimestamp !== object.metadata.deletionTimestamp;
      const before = concernedBy(event.previous, state);
      if (leaves || !deepEqual(metadata.labels, object.metadata.labels))
        queue.happened('pod-labels', (plugin, entry) => concerns(plugin, entry) || before(plugin, entry));
      if (metadata.generation !== object.metadata.generation) queue.happened('pod-gone', concerns);
    }
  }
}
