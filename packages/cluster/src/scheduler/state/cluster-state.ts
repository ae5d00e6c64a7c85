import type { Node, Pod } from '@coxswain/k8s';
import type { StoreEvent } from '@coxswain/runtime/cache';
import { deepEqual, keyOf, keyString, type LabelPairs } from '@coxswain/runtime/core';
import { NodeInfo } from './node-info.ts';
import { type CountsByNode, PodCounters } from './pod-counters.ts';
import { type PodInfo, podInfo } from './pod-info.ts';
import { TermIndex } from './term-index.ts';

interface Placed {
  readonly info: PodInfo;
  readonly node: NodeInfo;
  /** Decided here, and not yet told by the server. */
  readonly assumed: boolean;
}

function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function isResizing({ status }: Pod): boolean {
  return status?.conditions?.some(({ type }) => type.startsWith('PodResize')) ?? false;
}

/** Whether a pod takes and attracts what it did before: most events only tell how its containers are. */
function sameForOthers(before: Pod, now: Pod): boolean {
  const [a, b] = [before.metadata, now.metadata];
  return (
    a.uid === b.uid &&
    a.generation === b.generation &&
    a.deletionTimestamp === b.deletionTimestamp &&
    !hasEnded(now) &&
    !isResizing(before) &&
    !isResizing(now) &&
    before.spec?.nodeName === now.spec?.nodeName &&
    deepEqual(a.labels, b.labels)
  );
}

/** What is on which node: kept up to date by events, and by decisions before their events come. Nothing is summed up anew per pod. */
export class ClusterState {
  readonly #nodes = new Map<string, NodeInfo>();
  readonly #placed = new Map<string, Placed>();
  readonly #counters = new PodCounters();
  readonly #claimUsers = new Map<string, number>();
  readonly #namespaceLabels: (namespace: string) => LabelPairs | undefined;
  /** Required terms by which placed pods keep others away. */
  readonly repelling = new TermIndex();
  /** Terms of placed pods that make a node more, or less, wanted by others. */
  readonly attracting = new TermIndex();
  #list: readonly NodeInfo[] | undefined;

  constructor(namespaceLabels: (namespace: string) => LabelPairs | undefined) {
    this.#namespaceLabels = namespaceLabels;
  }

  /** The nodes there are, zones taking turns. */
  get nodes(): readonly NodeInfo[] {
    this.#list ??= inTurns([...this.#nodes.values()].filter(({ node }) => node));
    return this.#list;
  }

  node(name: string): NodeInfo | undefined {
    const info = this.#nodes.get(name);
    return info?.node && info;
  }

  takeNode({ type, object }: StoreEvent<Node>): void {
    const info = this.#nodeInfo(object.metadata.name);
    const zoneBefore = info.node && zoneOf(info);
    const wasThere = info.node !== undefined;
    info.node = type === 'deleted' ? undefined : object;
    if (!info.node && info.pods.size === 0) this.#nodes.delete(info.name);
    if (wasThere !== (info.node !== undefined) || (info.node && zoneOf(info) !== zoneBefore)) this.#list = undefined;
  }

  takePod({ type, object }: StoreEvent<Pod>): void {
    const node = object.spec?.nodeName;
    const before = this.#placed.get(keyString(keyOf(object)));
    if (before && !before.assumed && type === 'updated' && sameForOthers(before.info.pod, object)) return;
    const info = podInfo(object);
    if (type === 'deleted' || hasEnded(object)) this.remove(info.key);
    else if (node) this.#put(info, node, false);
    else if (before && before.info.uid !== info.uid) this.remove(info.key);
  }

  /** A decision: the pod counts on the node from now on. */
  assume(info: PodInfo, node: string): void {
    this.#put(info, node, true);
  }

  /** Takes back a decision, unless the server has confirmed it. */
  forget({ key, uid }: PodInfo): void {
    const placed = this.#placed.get(key);
    if (placed?.assumed && placed.info.uid === uid) this.remove(key);
  }

  isPlaced({ key, uid }: PodInfo): boolean {
    return this.#placed.get(key)?.info.uid === uid;
  }

  remove(key: string): void {
    const placed = this.#placed.get(key);
    if (!placed) return;
    this.#placed.delete(key);
    placed.node.remove(placed.info);
    this.#index(placed.info, placed.node.name, -1);
    if (!placed.node.node && placed.node.pods.size === 0) this.#nodes.delete(placed.node.name);
  }

  /** Takes a pod away for a trial; the function returned puts it back. */
  lift({ key }: PodInfo): () => void {
    const placed = this.#placed.get(key);
    if (!placed) return () => {};
    this.remove(key);
    return () => this.#put(placed.info, placed.node.name, placed.assumed);
  }

  /** How many pods each node has for which `matches` holds. @param key the same for the same question */
  counts(key: string, matches: (pod: Pod) => boolean): CountsByNode {
    return this.#counters.counts(key, matches, this.#allPlaced());
  }

  namespaceLabels(namespace: string): LabelPairs | undefined {
    return this.#namespaceLabels(namespace);
  }

  /** Labels of a namespace have changed. */
  namespacesChanged(): void {
    this.#counters.clear();
  }

  /** Number of placed pods that mount a claim. */
  usersOf(namespace: string, claim: string): number {
    return this.#claimUsers.get(`${namespace}/${claim}`) ?? 0;
  }

  #nodeInfo(name: string): NodeInfo {
    const known = this.#nodes.get(name);
    if (known) return known;
    const made = new NodeInfo(name);
    this.#nodes.set(name, made);
    return made;
  }

  #put(info: PodInfo, name: string, assumed: boolean): void {
    this.remove(info.key);
    const node = this.#nodeInfo(name);
    this.#placed.set(info.key, { info, node, assumed });
    node.add(info);
    this.#index(info, name, 1);
  }

  #index(info: PodInfo, node: string, by: 1 | -1): void {
    this.#counters.change(info, node, by);
    for (const claim of info.claims) {
      const key = `${info.namespace}/${claim}`;
      const users = (this.#claimUsers.get(key) ?? 0) + by;
      if (users > 0) this.#claimUsers.set(key, users);
      else this.#claimUsers.delete(key);
    }
    if (info.plain) return;
    const { near, apart, wishes } = info.affinities;
    for (const term of apart) this.repelling.change(term, node, 1, by);
    for (const term of near) this.attracting.change(term, node, 1, by);
    for (const { term, weight } of wishes) this.attracting.change(term, node, weight, by);
  }

  *#allPlaced(): Iterable<readonly [PodInfo, string]> {
    for (const { info, node } of this.#placed.values()) yield [info, node.name];
  }
}

function zoneOf(info: NodeInfo): string {
  const { 'topology.kubernetes.io/region': region, 'topology.kubernetes.io/zone': zone } =
    info.node?.metadata.labels ?? {};
  return `${region ?? ''}/${zone ?? ''}`;
}

function inTurns(nodes: readonly NodeInfo[]): readonly NodeInfo[] {
  const zones = [...Map.groupBy(nodes, zoneOf).values()];
  if (zones.length <= 1) return nodes;
  const longest = Math.max(...zones.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => zones.flatMap((zone) => zone[i] ?? [])).flat();
}
