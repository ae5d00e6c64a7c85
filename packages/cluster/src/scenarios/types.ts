import type { Kind, KubeObject } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';

/** Where scenarios are played: a cluster with nodes, and its time. */
export interface Ground {
  readonly client: Client;
  readonly nodes: readonly string[];
  /** Lets time go on until `done` holds. @throws Error naming `what` after `limit` seconds */
  until(what: string, done: () => boolean, limit: number): Promise<void>;
  wait(seconds: number): Promise<void>;
  /** Ends a node without a word, as when somebody pulls the plug. */
  powerOff(node: string): Promise<void>;
  powerOn(node: string): Promise<void>;
}

/** What a scenario acts on: a namespace of its own, and what was seen in it. */
export interface Stage {
  readonly client: Client;
  readonly namespace: string;
  readonly nodes: readonly string[];
  create<T extends KubeObject>(kind: Kind<T>, object: object): Promise<T>;
  /** A merge patch. */
  patch<T extends KubeObject>(kind: Kind<T>, name: string, body: object, subresource?: string): Promise<T>;
  delete(
    kind: Kind,
    name: string,
    options?: { readonly propagation?: 'Background' | 'Foreground' | 'Orphan'; readonly gracePeriodSeconds?: number },
  ): Promise<void>;
  /** Asks to evict a pod; what is answered becomes part of the recording, and its code is returned. */
  evict(pod: string): Promise<number>;
  /** As it was last seen; `undefined` when it is not there. */
  seen<T extends KubeObject>(kind: Kind<T>, name: string): T | undefined;
  /** All there are now, in the order of their names. */
  all<T extends KubeObject>(kind: Kind<T>): readonly T[];
  /** Lets time go on until `done` holds; `limit` in seconds, default 120. */
  until(what: string, done: () => boolean, limit?: number): Promise<void>;
  wait(seconds: number): Promise<void>;
  /** Writes into the recording what was found out at this point. */
  note(what: string, value: unknown): void;
  powerOff(node: string): Promise<void>;
  powerOn(node: string): Promise<void>;
}

/** What is done to a cluster. It ends when nothing more is to be seen. */
export interface Scenario {
  readonly name: string;
  /** Kinds it looks at besides those that every scenario records; those without a namespace are recorded as far as the names say. */
  readonly also?: readonly { readonly kind: Kind; readonly names: RegExp }[];
  /** Record in which order pods are made, become ready and go: where controllers promise one. */
  readonly ordered?: boolean;
  /** Seconds that it is looked on after its end; default 3. */
  readonly after?: number;
  /** Needs the nodes for itself: it takes them away, or fills them. */
  readonly alone?: boolean;
  run(stage: Stage): Promise<void>;
}

/** The values that one field of an object had, one after the other; `null`: it was not there. */
export type Track = readonly (string | number | boolean | null)[];
export type Tracks = Readonly<Record<string, Track>>;

/** Objects that cannot be told apart have the same name; how many went the same way. */
export interface Course {
  readonly count: number;
  readonly tracks: Tracks;
}

/** All that was seen while a scenario was played, without what differs from run to run. */
export interface Recording {
  readonly objects: Readonly<Record<string, readonly Course[]>>;
  readonly events: readonly string[];
  readonly order: readonly string[];
  readonly notes: readonly string[];
}
