import type { KubeObject, ManagedFieldsEntry, ObjectMeta } from '@coxswain/k8s';
import { isFields } from '../core/index.ts';

/** The fields that one field manager holds by server-side apply, as the server says it (`metadata.managedFields`). */
export interface AppliedFields {
  /** The version the fields are those of. */
  readonly apiVersion: string;
  /** `f:NAME`, `k:{KEYS}`, `v:VALUE` and `.` as keys, down to empty objects. */
  readonly fields: FieldsNode;
}

/** A tree of fields as `fieldsV1` of managed fields writes it: `f:name` for a field, `k:{…}` for an item; a leaf is empty. */
export interface FieldsNode {
  readonly [key: string]: FieldsNode;
}

type ByManager = Readonly<Record<string, AppliedFields>>;

/** What all objects share of which the server says the same. */
interface Shared {
  readonly text: string;
  /** Kept only where more than one object has a use for it. */
  parsed: ByManager | undefined;
  uses: number;
}

/** Not enumerable, and no text: it goes into no JSON, no copy and no comparison. */
const applied = Symbol('applied fields');

/** Different texts kept for sharing; more than objects of one kind usually have. */
const poolLimit = 10_000;

/**
 * Keeps what chosen field managers applied to an object beside its metadata, small: shared by all objects of which the
 * server says the same. The UIDs of owners and the times are left out, or no two children would share it.
 */
export class AppliedFieldsKeeper {
  readonly #managers: Set<string>;
  readonly #pool = new Map<string, Shared | undefined>();

  /** @param managers whose fields are kept */
  constructor(managers: Iterable<string> = []) {
    this.#managers = new Set(managers);
  }

  /** One manager more: counts for objects that come from now on. */
  add(manager: string): void {
    if (this.#managers.has(manager)) return;
    this.#managers.add(manager);
    // What the texts came to was without it.
    this.#pool.clear();
  }

  /** Lays what `managedFields` says onto `metadata`, which must be new. Entries that are none are passed over. */
  keep(metadata: ObjectMeta, managedFields: readonly ManagedFieldsEntry[]): void {
    if (this.#managers.size > 0) this.keepText(metadata, JSON.stringify(managedFields));
  }

  /** Like {@link keep}, from the JSON text of managed fields. @throws SyntaxError when it is none */
  keepText(metadata: ObjectMeta, managedFields: string): void {
    if (this.#managers.size === 0 || !managedFields.includes('"operation":"Apply"')) return;
    const shared = this.#shared(withoutOwners(managedFields.replaceAll(time, ''), metadata));
    if (!shared) return;
    shared.uses++;
    Object.defineProperty(metadata, applied, { value: shared });
  }

  #shared(text: string): Shared | undefined {
    if (this.#pool.has(text)) return this.#pool.get(text);
    // Those in use live on with their objects; only sharing begins anew.
    if (this.#pool.size >= poolLimit) this.#pool.clear();
    const ours = entriesOf(JSON.parse(text) as readonly unknown[], this.#managers);
    const shared = ours && { text: JSON.stringify(ours), parsed: undefined, uses: 0 };
    this.#pool.set(text, shared);
    return shared;
  }
}

/** In either order of keys: times are not the last of an entry. */
const time = /"time":"[^"]*",|,"time":"[^"]*"/g;

function entriesOf(all: readonly unknown[], managers: ReadonlySet<string>): ByManager | undefined {
  const entries: Record<string, AppliedFields> = {};
  for (const entry of all) {
    // Servers that are not Kubernetes' own have been known to send anything here.
    if (!isFields(entry)) continue;
    const { manager, operation, subresource, apiVersion, fieldsV1 = {} } = entry;
    if (operation !== 'Apply' || subresource || typeof manager !== 'string' || !managers.has(manager)) continue;
    if (typeof apiVersion !== 'string' || apiVersion === '' || !isFields(fieldsV1)) continue;
    entries[manager] = { apiVersion, fields: fieldsV1 as FieldsNode };
  }
  return Object.keys(entries).length > 0 ? entries : undefined;
}

/**
 * What `manager` applied to an object of a store. `undefined`: nothing, or the store was not told to keep it when the object
 * came (see `Cache.keepAppliedFields`).
 */
export function appliedFields({ metadata }: KubeObject, manager: string): AppliedFields | undefined {
  const shared = (metadata as { readonly [applied]?: Shared })[applied];
  if (!shared) return undefined;
  const entries = shared.parsed ?? (JSON.parse(shared.text) as ByManager);
  if (shared.uses > 1) shared.parsed = entries;
  return Object.hasOwn(entries, manager) ? withOwners(entries[manager], metadata) : undefined;
}

/** The beginning of a member of `ownerReferences`, in the JSON text of a key. */
const uidKey = '"k:{\\"uid\\":\\"';
/** Stands for the UID of the owner at this index. No UID, which the server makes, looks like it. */
const placeOf = (index: number): string => `<owner ${index}>`;
const place = /<owner (\d+)>/;

function withoutOwners(text: string, { ownerReferences }: ObjectMeta): string {
  return (ownerReferences ?? []).reduce(
    (rest, { uid }, index) => (uid ? rest.replaceAll(`${uidKey}${uid}`, `${uidKey}${placeOf(index)}`) : rest),
    text,
  );
}

function withOwners(applied: AppliedFields | undefined, { ownerReferences }: ObjectMeta): AppliedFields | undefined {
  const metadata = applied?.fields['f:metadata'];
  const owners = metadata?.['f:ownerReferences'];
  if (!applied || !owners) return applied;
  // Without a prototype it is a dictionary from the start: a UID as a key would give each object a shape of its own.
  const named: Record<string, FieldsNode> = Object.create(null);
  for (const [key, node] of Object.entries(owners)) {
    named[key.replace(place, (all, index) => ownerReferences?.[Number(index)]?.uid ?? all)] = node;
  }
  return { ...applied, fields: { ...applied.fields, 'f:metadata': { ...metadata, 'f:ownerReferences': named } } };
}
