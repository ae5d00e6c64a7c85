import type { KubeObject, ManagedFieldsEntry, ObjectMeta } from '@coxswain/k8s';

/** The fields that one field manager holds by server-side apply, as the server says it (`metadata.managedFields`). */
export interface AppliedFields {
  /** The version the fields are those of. */
  readonly apiVersion: string;
  /** `f:NAME`, `k:{KEYS}`, `v:VALUE` and `.` as keys, down to empty objects. */
  readonly fields: FieldsNode;
}

export interface FieldsNode {
  readonly [key: string]: FieldsNode;
}

/** Not enumerable, and no text: it goes into no JSON, no copy and no comparison. */
const applied = Symbol('applied fields');

/** Different texts kept for sharing; more than objects of one kind usually have. */
const poolLimit = 10_000;

/**
 * Keeps what chosen field managers applied to an object beside its metadata, small: as text, shared by all objects of
 * which the server says the same. The UIDs of owners are left out of the text, or no two children would share it.
 */
export class AppliedFieldsKeeper {
  readonly managers: ReadonlySet<string>;
  readonly #pool = new Map<string, string>();

  /** @param managers whose fields are kept; may grow, and counts for objects that come from then on */
  constructor(managers: ReadonlySet<string>) {
    this.managers = managers;
  }

  /** Lays what `managedFields` says onto `metadata`, which must be new. */
  keep(metadata: ObjectMeta, managedFields: readonly ManagedFieldsEntry[]): void {
    if (this.managers.size === 0) return;
    const entries: Record<string, AppliedFields> = {};
    let found = false;
    for (const { manager, operation, subresource, apiVersion, fieldsV1 } of managedFields) {
      if (operation !== 'Apply' || subresource || !manager || !apiVersion || !this.managers.has(manager)) continue;
      entries[manager] = { apiVersion, fields: (fieldsV1 ?? {}) as FieldsNode };
      found = true;
    }
    if (!found) return;
    const text = withoutOwners(JSON.stringify(entries), metadata);
    Object.defineProperty(metadata, applied, { value: this.#shared(text) });
  }

  #shared(text: string): string {
    const known = this.#pool.get(text);
    if (known !== undefined) return known;
    // Texts in use live on with their objects; only sharing begins anew.
    if (this.#pool.size >= poolLimit) this.#pool.clear();
    this.#pool.set(text, text);
    return text;
  }
}

/**
 * What `manager` applied to an object of a store. `undefined`: nothing, or the store was not told to keep it when the object
 * came (see `Cache.keepAppliedFields`).
 */
export function appliedFields({ metadata }: KubeObject, manager: string): AppliedFields | undefined {
  const text = (metadata as { readonly [applied]?: string })[applied];
  if (text === undefined) return undefined;
  const entries = JSON.parse(withOwners(text, metadata)) as Readonly<Record<string, AppliedFields>>;
  return Object.hasOwn(entries, manager) ? entries[manager] : undefined;
}

/** Stands for the UID of the owner at this index. JSON writes no control character as itself, so it is nothing else. */
const placeOf = (index: number): string => `\u0001${index}\u0001`;

function withoutOwners(text: string, { ownerReferences = [] }: ObjectMeta): string {
  return ownerReferences.reduce((rest, { uid }, index) => (uid ? rest.replaceAll(uid, placeOf(index)) : rest), text);
}

function withOwners(text: string, { ownerReferences = [] }: ObjectMeta): string {
  return ownerReferences.reduce((rest, { uid }, index) => rest.replaceAll(placeOf(index), uid), text);
}
