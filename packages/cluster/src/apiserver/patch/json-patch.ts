import { stringifyJson } from '@coxswain/runtime/client';
import { badRequest, deepEqual } from '@coxswain/runtime/core';
import { patchNotApplicable, tooManyOperations, undecodable } from './errors.ts';
import { goJsonKind } from './go-text.ts';
import { isTree, own, put, type Tree } from './tree.ts';

const maxOperations = 10_000;
/** Bytes that the `copy` operations of a patch may add: without a limit a few dozen of them double a document past any memory. */
const maxCopied = 3 * 1024 * 1024;

interface Operation {
  readonly op?: string;
  readonly path?: string;
  readonly from?: string;
  readonly value: unknown;
}

type Container = Tree | unknown[];

/**
 * The document while it is patched. Containers are copied on their first change only (`owned` remembers which),
 * so that thousands of operations on one long list stay linear.
 */
interface Draft {
  root: unknown;
  owned: WeakSet<object>;
  copied: number;
}

/**
 * RFC 6902. Answers a new document that shares unchanged parts with `doc`. As on the real server, `replace` of a missing
 * key adds it, a missing key tests equal to null, and negative indexes count from the end.
 * @param lax fields are not validated: what is no patch is told by another decoder
 * @throws ApiError 400 when `ops` is not a list of operations, 413 above 10 000 of them, 422 when one does not apply or copies make the document huge
 */
export function applyJsonPatch(doc: unknown, ops: unknown, lax = false): unknown {
  const draft: Draft = { root: doc, owned: new WeakSet(), copied: 0 };
  for (const operation of decode(ops, lax)) applyOperation(draft, operation);
  return draft.root;
}

function decode(ops: unknown, lax: boolean): Operation[] {
  if (ops === null) return [];
  if (!Array.isArray(ops)) throw notPatch(ops, lax ? 'jsonpatch.Patch' : '[]handlers.jsonPatchOp', lax);
  const operations = ops.map((operation) => decodeOperation(operation, lax));
  if (ops.length > maxOperations) throw tooManyOperations(maxOperations, ops.length);
  return operations;
}

function notPatch(given: unknown, type: string, lax: boolean): Error {
  const target = `value of type ${type}`;
  return lax ? badRequest(`json: cannot unmarshal ${goJsonKind(given)} into Go ${target}`) : undecodable(given, target);
}

function decodeOperation(given: unknown, lax: boolean): Operation {
  if (given === null) return { value: null };
  if (!isTree(given)) throw notPatch(given, lax ? 'jsonpatch.Operation' : 'handlers.jsonPatchOp', lax);
  for (const field of ['op', 'path', 'from']) {
    const value = own(given, field);
    if (value !== undefined && value !== null && typeof value !== 'string') {
      throw undecodable(value, `struct field jsonPatchOp.${field} of type string`);
    }
  }
  const text = (field: string) => (own(given, field) ?? undefined) as string | undefined;
  return { op: text('op'), path: text('path'), from: text('from'), value: own(given, 'value') ?? null };
}

function applyOperation(draft: Draft, operation: Operation): void {
  switch (operation.op) {
    case 'add':
      add(draft, required(operation, 'path'), operation.value);
      break;
    case 'remove':
      remove(draft, required(operation, 'path'));
      break;
    case 'replace':
      replace(draft, required(operation, 'path'), operation.value);
      break;
    case 'move':
      move(draft, required(operation, 'from'), required(operation, 'path'));
      break;
    case 'copy':
      copy(draft, required(operation, 'from'), required(operation, 'path'));
      break;
    case 'test':
      test(draft, required(operation, 'path'), operation.value);
      break;
    default:
      throw patchNotApplicable(`unexpected kind: ${operation.op ?? 'unknown'}`);
  }
}

function required(operation: Operation, field: 'path' | 'from'): string {
  const value = operation[field];
  if (value === undefined) throw patchNotApplicable(`${operation.op}: missing ${field}`);
  return value;
}

function tokens(path: string): string[] {
  const parts = path.split('/').slice(1);
  if (parts.length === 0) throw patchNotApplicable(`path "${path}" names no place in the document`);
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function read(draft: Draft, path: string): unknown {
  const keys = tokens(path);
  let value: unknown = draft.root;
  for (const key of keys) value = child(value, key, path);
  return value;
}

function child(container: unknown, key: string, path: string): unknown {
  if (Array.isArray(container)) return container[indexOf(key, container.length, path)];
  if (isTree(container)) return own(container, key);
  throw patchNotApplicable(`doc is missing path: ${path}`);
}

/** The container the last token of `path` points into, private to the draft, with all containers above it. */
function writable(draft: Draft, path: string): { container: Container; key: string } {
  const keys = tokens(path);
  const last = keys.pop() ?? '';
  let container = privateCopy(draft, draft.root, path);
  draft.root = container;
  for (const key of keys) {
    const next = privateCopy(draft, child(container, key, path), path);
    if (Array.isArray(container)) container[indexOf(key, container.length, path)] = next;
    else put(container, key, next);
    container = next;
  }
  return { container, key: last };
}

function privateCopy(draft: Draft, value: unknown, path: string): Container {
  if (!isTree(value) && !Array.isArray(value)) throw patchNotApplicable(`doc is missing path: ${path}`);
  if (draft.owned.has(value)) return value;
  const copy = Array.isArray(value) ? value.slice() : { ...value };
  draft.owned.add(copy);
  return copy;
}

function indexOf(key: string, length: number, path: string): number {
  const index = /^[+-]?\d+$/.test(key) ? Number(key) : Number.NaN;
  const place = index < 0 ? index + length : index;
  if (!(place >= 0 && place < length)) throw patchNotApplicable(`invalid index ${key} in ${path}`);
  return place;
}

function add(draft: Draft, path: string, value: unknown): void {
  const { container, key } = writable(draft, path);
  if (!Array.isArray(container)) put(container, key, value ?? null);
  else if (key === '-') container.push(value ?? null);
  else container.splice(indexOf(key, container.length + 1, path), 0, value ?? null);
}

function remove(draft: Draft, path: string): void {
  const { container, key } = writable(draft, path);
  if (Array.isArray(container)) container.splice(indexOf(key, container.length, path), 1);
  else if (Object.hasOwn(container, key)) delete container[key];
  else throw patchNotApplicable(`unable to remove nonexistent key: ${path}`);
}

function replace(draft: Draft, path: string, value: unknown): void {
  if (path === '') {
    if (!isTree(value) && !Array.isArray(value)) throw patchNotApplicable('the document must be an object or array');
    draft.root = value;
    return;
  }
  const { container, key } = writable(draft, path);
  if (Array.isArray(container)) container[indexOf(key, container.length, path)] = value;
  else put(container, key, value);
}

function move(draft: Draft, from: string, path: string): void {
  const value = read(draft, from);
  remove(draft, from);
  add(draft, path, value);
}

function copy(draft: Draft, from: string, path: string): void {
  const value = read(draft, from) ?? null;
  draft.copied += Buffer.byteLength(stringifyJson(value));
  if (draft.copied > maxCopied) throw patchNotApplicable(`copies add more than ${maxCopied} bytes`);
  add(draft, path, value);
  // The value now has two places: neither may be changed in place any more.
  draft.owned = new WeakSet();
}

function test(draft: Draft, path: string, expected: unknown): void {
  const found = path === '' ? draft.root : (read(draft, path) ?? null);
  if (!deepEqual(found, expected)) throw patchNotApplicable(`testing value ${path} failed`);
}
