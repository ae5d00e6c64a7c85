import { apiVersionOf, type Kind, type KubeObject } from '@coxswain/k8s';
import { keyOf, keyString } from '../core/index.ts';
import type { Owner } from './ownership.ts';

/** What was applied to one child, and how it was received. */
export interface Applied {
  readonly hash: string;
  /** Of the answer. */
  readonly resourceVersion: string | undefined;
  readonly generation: number | undefined;
  /** Applies in a row that changed the child although the desired value had not changed. */
  readonly fights: number;
  readonly at: number;
}

/** Children remembered by one process for one controller. */
const memoryLimit = 20_000;

/** What one controller has applied, by the child's UID, and for whom. Bounded: the oldest is forgotten, and applied again as if it were the first time. */
export class ApplyMemory {
  readonly #applied = new Map<string, Applied>();
  readonly #made = new Map<string, true>();

  get(uid: string | undefined): Applied | undefined {
    return uid === undefined ? undefined : this.#applied.get(uid);
  }

  set(uid: string, applied: Applied): void {
    keep(this.#applied, uid, applied);
  }

  /** Whether this process has applied a child of this kind and name for this owner before. */
  hasMade(owner: Owner, kind: Kind, child: KubeObject): boolean {
    return this.#made.has(childKey(owner, kind, child));
  }

  noteMade(owner: Owner, kind: Kind, child: KubeObject): void {
    keep(this.#made, childKey(owner, kind, child), true);
  }

  get size(): number {
    return this.#applied.size;
  }
}

function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= memoryLimit) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}

const childKey = (owner: Owner, kind: Kind, child: KubeObject) =>
  `${owner.object.metadata.uid} ${apiVersionOf(kind)} ${kind.kind} ${keyString(keyOf(child))}`;
