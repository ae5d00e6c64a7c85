import { type Node, PersistentVolume, PersistentVolumeClaim } from '@coxswain/k8s';
import { type Client, merge } from '@coxswain/runtime/client';
import { type Clock, keyOf, keyString, type Timer } from '@coxswain/runtime/core';
import type { Lookups } from '../plugins/types.ts';
import type { PodInfo } from '../state/pod-info.ts';
import { isBound, podClaims, reachable, selectedNode, staticVolumes } from './claims.ts';

/** Milliseconds that a pod waits for its volumes on a node before another is looked for. */
const bindTimeout = 600_000;

const boundByController = 'pv.kubernetes.io/bound-by-controller';

/** Something to be bound for a pod, once a node is chosen. */
export interface VolumePlan {
  readonly chosen: ReadonlyMap<PersistentVolumeClaim, PersistentVolume>;
  /** Claims for which a volume is to be made. */
  readonly toMake: readonly PersistentVolumeClaim[];
}

interface Wait {
  readonly info: PodInfo;
  readonly node: Node;
  readonly claims: ReadonlySet<string>;
  readonly made: ReadonlySet<string>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly timer: Timer;
}

/** Has the claims of placed pods bound, and waits for it, before the pods are bound to their nodes. */
export class VolumeBinder {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #lookups: Lookups;
  readonly #reserved = new Set<string>();
  readonly #waits = new Set<Wait>();

  constructor(client: Client, clock: Clock, lookups: Lookups) {
    this.#client = client;
    this.#clock = clock;
    this.#lookups = lookups;
  }

  isReserved(volume: string): boolean {
    return this.#reserved.has(volume);
  }

  /** What is left to be bound for a pod on a node; `undefined` when nothing is. */
  plan({ pod, claims }: PodInfo, node: Node): VolumePlan | undefined {
    if (claims.length === 0) return undefined;
    const sorted = podClaims(pod, this.#lookups);
    if (typeof sorted === 'string' || sorted.delayed.length === 0) return undefined;
    const asked = sorted.delayed.filter(({ metadata }) => metadata.annotations?.[selectedNode]);
    const open = sorted.delayed.filter((claim) => !asked.includes(claim));
    const { chosen, left } = staticVolumes(open, node, this.#lookups);
    return { chosen, toMake: [...asked, ...left] };
  }

  /** Resolves when all of the plan is bound. Rejects when something stands against it; another node is to be looked for then. */
  async carryOut({ chosen, toMake }: VolumePlan, info: PodInfo, node: Node): Promise<void> {
    const reserved = [...chosen.values()].map(({ metadata }) => metadata.name);
    for (const volume of reserved) this.#reserved.add(volume);
    try {
      for (const [claim, volume] of chosen) await this.#setAside(volume, claim);
      for (const claim of toMake) await this.#ask(claim, node);
      await this.#bound([...chosen.keys(), ...toMake], toMake, info, node);
    } finally {
      for (const volume of reserved) this.#reserved.delete(volume);
    }
  }

  /** Claims, volumes or pods have changed. */
  look(): void {
    for (const wait of this.#waits) {
      const outcome = this.#outcome(wait);
      if (outcome === undefined) continue;
      this.#end(wait);
      if (outcome === true) wait.resolve();
      else wait.reject(new Error(outcome));
    }
  }

  /** A pod is gone: nobody waits any more. */
  forget(uid: string): void {
    for (const wait of this.#waits) {
      if (wait.info.uid !== uid) continue;
      this.#end(wait);
      wait.reject(new Error(`pod does not exist any more: pod "${wait.info.pod.metadata.name}" not found`));
    }
  }

  close(): void {
    for (const wait of this.#waits) {
      this.#end(wait);
      wait.reject(new Error('the scheduler stops'));
    }
  }

  #end(wait: Wait): void {
    wait.timer.cancel();
    this.#waits.delete(wait);
  }

  async #setAside(volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
    const { namespace, name, uid, resourceVersion } = claim.metadata;
    if (volume.spec?.claimRef?.uid === uid) return;
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion };
    const annotations = volume.spec?.claimRef ? {} : { [boundByController]: 'yes' };
    const metadata = { resourceVersion: volume.metadata.resourceVersion, annotations };
    await this.#client.of(PersistentVolume).patch(keyOf(volume), merge({ metadata, spec: { claimRef } }));
  }

  async #ask(claim: PersistentVolumeClaim, node: Node): Promise<void> {
    if (claim.metadata.annotations?.[selectedNode] === node.metadata.name) return;
    const annotations = { [selectedNode]: node.metadata.name };
    const metadata = { uid: claim.metadata.uid, annotations };
    await this.#client.of(PersistentVolumeClaim).patch(keyOf(claim), merge({ metadata }));
  }

  #bound(
    claims: readonly PersistentVolumeClaim[],
    made: readonly PersistentVolumeClaim[],
    info: PodInfo,
    node: Node,
  ): Promise<void> {
    const keys = (list: readonly PersistentVolumeClaim[]) => new Set(list.map((claim) => keyString(keyOf(claim))));
    return new Promise((resolve, reject) => {
      const timer = this.#clock.after(bindTimeout, () => {
        this.#end(wait);
        reject(new Error('binding volumes: context deadline exceeded'));
      });
      const wait: Wait = { info, node, claims: keys(claims), made: keys(made), resolve, reject, timer };
      this.#waits.add(wait);
      this.look();
    });
  }

  /** `true`: all is bound. A text: it will not be. */
  #outcome({ info, node, claims, made }: Wait): true | string | undefined {
    let all = true;
    for (const key of claims) {
      const name = key.slice(key.indexOf('/') + 1);
      const claim = this.#lookups.claim(info.namespace, name);
      if (!claim) return `binding volumes: persistentvolumeclaim "${name}" not found`;
      const asked = claim.metadata.annotations?.[selectedNode];
      if (made.has(key) && asked !== node.metadata.name)
        return `binding volumes: provisioning failed for PVC "${name}"`;
      const volume = this.#lookups.volume(claim.spec?.volumeName ?? '');
      if (volume && !reachable(volume, node))
        return `binding volumes: pv "${volume.metadata.name}" node affinity doesn't match node "${node.metadata.name}"`;
      // The phase comes last, and the kubelet waits for it: a pod that is there earlier would be told that a mount failed.
      all &&= isBound(claim) && claim.status?.phase === 'Bound';
    }
    return all || undefined;
  }
}
