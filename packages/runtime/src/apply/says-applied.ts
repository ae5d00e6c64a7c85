import type { KubeObject } from '@coxswain/k8s';
import type { AppliedFields, FieldsNode } from '../cache/applied-fields.ts';
import { deepEqual, type Fields, isFields } from '../core/index.ts';
import { sameValue } from './contains.ts';

/** A value, and the names under which it stands: what a quantity is, is told by them. */
interface Place {
  readonly field: string;
  readonly parent: string;
  /** Whether the names are those of the server's own types, so that quantities, defaults and dropped zeros are known. */
  readonly typed: boolean;
}

/** Groups whose types are the server's own; those of others are kept as they are written. */
const ownGroup =
  /^(?:v1|(?:apps|batch|autoscaling|policy|(?:networking|storage|scheduling|node|coordination|discovery|resource)\.k8s\.io)\/.*)$/;
/** Fields whose names are chosen by people. */
const freeMaps: ReadonlySet<string> = new Set([
  'metadata',
  'data',
  'stringData',
  'binaryData',
  'labels',
  'annotations',
  'matchLabels',
  'nodeSelector',
]);

const within = ({ field, parent, typed }: Place, name: string): Place => ({
  field: name,
  parent: field || parent,
  typed: typed && !freeMaps.has(field),
});

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
  return saysFields(readable(live), held, fields, { field: '', parent: '', typed: ownGroup.test(apiVersion) });
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
  // One that is held was there: where it is not, the server keeps it by leaving it out.
  if (isLeaf(node)) return live === undefined ? isZero(wanted) : isSame(live, wanted, place);
  if (isFields(wanted)) return isFields(live) && saysFields(live, wanted, node, place);
  return Array.isArray(wanted) && Array.isArray(live) && saysList(live, wanted, node, place);
}

function isLeaf(node: FieldsNode): boolean {
  for (const _ in node) return false;
  return true;
}

function saysFields(live: Fields, wanted: Fields, node: FieldsNode, place: Place): boolean {
  let found = 0;
  for (const field in wanted) {
    const value = wanted[field];
    if (value === undefined) continue;
    const child = node[`f:${field}`];
    // Nobody holds an empty list of keyed elements. One that has elements of others may be none: then it would be emptied.
    if (!child && Array.isArray(value) && value.length === 0 && isEmptyList(live[field], place)) continue;
    if (!child || !says(live[field], value, child, within(place, field))) return false;
    found++;
  }
  return found === sizeOf(node);
}

const isEmptyList = (live: unknown, { typed }: Place): boolean =>
  live === undefined ? typed : Array.isArray(live) && live.length === 0;

function sizeOf(node: FieldsNode): number {
  let size = 0;
  for (const member in node) if (member !== '.') size++;
  return size;
}

/** The parts a node holds, without the mark that it holds the whole too. */
function membersOf(node: FieldsNode): readonly string[] {
  return Object.keys(node).filter((member) => member !== '.');
}

function saysList(live: readonly unknown[], wanted: readonly unknown[], node: FieldsNode, place: Place): boolean {
  const members = membersOf(node);
  if (members.length !== wanted.length) return false;
  let last = -1;
  for (const item of wanted) {
    const [name = '', another] = members.filter((member) => isMember(item, member));
    if (name === '' || another !== undefined) return false;
    const at = live.findIndex((other) => isMember(other, name));
    // The order among ours is part of what we say.
    if (at <= last) return false;
    last = at;
    if (name.startsWith('k:') && !says(live[at], item, node[name] ?? {}, within(place, ''))) return false;
  }
  return true;
}

/** Whether a list member's name (`k:{"name":"web"}`, `v:"a"`) is that of `item`. A key that `item` leaves out has a default. */
function isMember(item: unknown, name: string): boolean {
  if (name.startsWith('v:')) return deepEqual(item, JSON.parse(name.slice(2)));
  if (!name.startsWith('k:') || !isFields(item)) return false;
  const keys = JSON.parse(name.slice(2)) as Fields;
  for (const key in keys) if (item[key] !== undefined && !deepEqual(item[key], keys[key])) return false;
  return true;
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

/** Whether two values are the same throughout. Zeros within say something: `{}` and `''` are not the same as nothing. */
function isSame(live: unknown, wanted: unknown, place: Place): boolean {
  if (live === undefined) return wanted === undefined;
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(live) &&
      live.length === wanted.length &&
      wanted.every((w, i) => isSame(live[i], w, within(place, '')))
    );
  }
  if (!isFields(wanted))
    return place.typed ? sameValue(live, wanted, place.field, place.parent) : deepEqual(live, wanted);
  if (!isFields(live)) return false;
  const assumed = (place.typed && defaults[place.field || place.parent]) || {};
  const isSameIn = (field: string) => isSame(live[field], wanted[field] ?? assumed[field], within(place, field));
  for (const field in wanted) if (!isSameIn(field)) return false;
  for (const field in live) if (!Object.hasOwn(wanted, field) && !isSameIn(field)) return false;
  return true;
}

/** Values that the server keeps by leaving them out. */
function isZero(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isFields(value)) return Object.values(value).every((item) => item === undefined);
  return value === undefined || value === null || value === '' || value === 0 || value === false;
}
