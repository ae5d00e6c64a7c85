import type { KubeObject } from '@coxswain/k8s';
import type { AppliedFields, FieldsNode } from '../cache/applied-fields.ts';
import { deepEqual } from '../core/index.ts';
import { sameValue } from './contains.ts';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value, and the names under which it stands: what a quantity is, is told by them. */
interface Place {
  readonly field: string;
  readonly parent: string;
}

/**
 * Whether applying `body` would change nothing: the live object says all of it, and the fields our field manager holds are
 * exactly those that it says, so nothing we once said is left behind. The held fields also tell which lists have keys.
 * It errs towards `false`: what cannot be told for sure (defaults inside an atomic value, an order that differs) is a
 * difference.
 * @param body as it would be sent
 */
export function saysApplied(live: KubeObject, body: KubeObject, { apiVersion, fields }: AppliedFields): boolean {
  const { apiVersion: version, kind: _kind, metadata, ...rest } = body as unknown as Fields;
  if (version !== apiVersion) return false;
  // What names an object is no field that somebody holds; its UID and version are conditions.
  const { name: _name, namespace: _namespace, uid, resourceVersion, ...said } = metadata as Fields;
  const is = (live as KubeObject).metadata;
  if ((uid ?? is.uid) !== is.uid || (resourceVersion ?? is.resourceVersion) !== is.resourceVersion) return false;
  const held = { ...rest, ...(Object.values(said).some((value) => value !== undefined) ? { metadata: said } : {}) };
  return saysFields(readable(live), held, fields, '');
}

/** A secret's `stringData` is not answered: it is read back from `data`. */
function readable(live: KubeObject): Fields {
  const { data } = live as { readonly data?: unknown };
  if (live.kind !== 'Secret' || !isFields(data)) return live as unknown as Fields;
  const texts = Object.entries(data).map(([name, value]) => [name, Buffer.from(String(value), 'base64').toString()]);
  return { ...live, stringData: Object.fromEntries(texts) };
}

function says(live: unknown, wanted: unknown, node: FieldsNode, place: Place): boolean {
  // A leaf: a scalar, or a value that is held as a whole.
  if (isLeaf(node)) return isSame(live, wanted, place);
  if (isFields(wanted)) return isFields(live) && saysFields(live, wanted, node, place.field);
  return Array.isArray(wanted) && Array.isArray(live) && saysList(live, wanted, node, place.field);
}

function isLeaf(node: FieldsNode): boolean {
  for (const _ in node) return false;
  return true;
}

function saysFields(live: Fields, wanted: Fields, node: FieldsNode, parent: string): boolean {
  let found = 0;
  for (const field in wanted) {
    const value = wanted[field];
    if (value === undefined) continue;
    const child = node[`f:${field}`];
    // Nobody holds an empty list of keyed elements.
    if (!child && Array.isArray(value) && value.length === 0) continue;
    if (!child || !says(live[field], value, child, { field, parent })) return false;
    found++;
  }
  return found === sizeOf(node);
}

function sizeOf(node: FieldsNode): number {
  let size = 0;
  for (const member in node) if (member !== '.') size++;
  return size;
}

/** The parts a node holds, without the mark that it holds the whole too. */
function membersOf(node: FieldsNode): readonly string[] {
  return Object.keys(node).filter((member) => member !== '.');
}

function saysList(live: readonly unknown[], wanted: readonly unknown[], node: FieldsNode, field: string): boolean {
  const members = membersOf(node);
  if (members.length !== wanted.length) return false;
  let last = -1;
  for (const item of wanted) {
    const member = members.filter((name) => isMember(item, name));
    const [name = ''] = member;
    if (member.length !== 1) return false;
    const at = live.findIndex((other) => isMember(other, name));
    // The order among ours is part of what we say.
    if (at <= last) return false;
    last = at;
    if (name.startsWith('k:') && !says(live[at], item, node[name] ?? {}, { field: '', parent: field })) return false;
  }
  return true;
}

/** Whether a list member's name (`k:{"name":"web"}`, `v:"a"`) is that of `item`. A key that `item` leaves out has a default. */
function isMember(item: unknown, name: string): boolean {
  if (name.startsWith('v:')) return deepEqual(item, JSON.parse(name.slice(2)));
  if (!name.startsWith('k:') || !isFields(item)) return false;
  const keys = JSON.parse(name.slice(2)) as Fields;
  return Object.entries(keys).every(([key, value]) => item[key] === undefined || deepEqual(item[key], value));
}

/** What the server fills in where an atomic value does not say it, by the field (or the list) it is in. */
const defaults: Readonly<Record<string, Fields>> = {
  fieldRef: { apiVersion: 'v1' },
  resourceFieldRef: { divisor: '0' },
  ports: { protocol: 'TCP' },
  volumeClaimTemplates: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', status: { phase: 'Pending' } },
  // of a volume claim template
  spec: { volumeMode: 'Filesystem' },
};

/** Whether two values are the same throughout. */
function isSame(live: unknown, wanted: unknown, place: Place): boolean {
  if (live === undefined) return isZero(wanted);
  if (Array.isArray(wanted)) {
    const item = { field: '', parent: place.field };
    return Array.isArray(live) && live.length === wanted.length && wanted.every((w, i) => isSame(live[i], w, item));
  }
  if (!isFields(wanted)) return sameValue(live, wanted, place.field, place.parent);
  if (!isFields(live)) return false;
  const assumed = defaults[place.field || place.parent] ?? {};
  const names = new Set([...Object.keys(live), ...Object.keys(wanted)]);
  return [...names].every((field) =>
    isSame(live[field], wanted[field] ?? assumed[field], { field, parent: place.field || place.parent }),
  );
}

/** Values that the server keeps by leaving them out. */
function isZero(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isFields(value)) return Object.values(value).every((item) => item === undefined);
  return value === undefined || value === null || value === '' || value === 0 || value === false;
}
