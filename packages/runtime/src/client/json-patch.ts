import { cloneJson, deepEqual } from '../core/index.ts';
import type { JsonPatchOperation } from './types.ts';

type Parent = Record<string, unknown> | unknown[];

const isParent = (value: unknown): value is Parent => typeof value === 'object' && value !== null;

/**
 * What a JSON patch (RFC 6902) makes of a value, which stays as it is. `undefined` when an operation fails: a test that
 * does not hold, or a path that leads nowhere.
 */
export function jsonPatched(value: unknown, operations: readonly JsonPatchOperation[]): unknown {
  // A holder, so that the whole value is a member like any other.
  const holder = { value: cloneJson(value) };
  return operations.every((operation) => perform(holder, operation)) ? holder.value : undefined;
}

function perform(holder: Parent, operation: JsonPatchOperation): boolean {
  switch (operation.op) {
    case 'test': {
      const found = find(holder, operation.path);
      return found !== undefined && deepEqual(found, operation.value);
    }
    case 'add':
      return put(holder, operation.path, cloneJson(operation.value));
    case 'replace':
      return take(holder, operation.path) !== undefined && put(holder, operation.path, cloneJson(operation.value));
    case 'remove':
      return take(holder, operation.path) !== undefined;
    case 'move':
      return put(holder, operation.path, take(holder, operation.from));
    case 'copy':
      return put(holder, operation.path, cloneJson(find(holder, operation.from)));
  }
}

function find(holder: Parent, path: string): unknown {
  const { parent, name } = place(holder, path);
  return member(parent, name);
}

function put(holder: Parent, path: string, value: unknown): boolean {
  const { parent, name } = place(holder, path);
  if (!parent || value === undefined) return false;
  if (!Array.isArray(parent)) {
    // A document may hold a key named __proto__; plain assignment would change the prototype instead.
    Object.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true });
    return true;
  }
  const index = name === '-' ? parent.length : indexOf(name, parent.length);
  if (index === undefined) return false;
  parent.splice(index, 0, value);
  return true;
}

function take(holder: Parent, path: string): unknown {
  const found = find(holder, path);
  const { parent, name } = place(holder, path);
  if (found === undefined) return undefined;
  if (Array.isArray(parent)) parent.splice(Number(name), 1);
  else if (parent) delete parent[name];
  return found;
}

function place(holder: Parent, path: string): { readonly parent: Parent | undefined; readonly name: string } {
  const names = `/value${path}`.split('/').slice(1).map(unescaped);
  const name = names.pop() ?? '';
  let parent: unknown = holder;
  for (const step of names) parent = member(parent, step);
  return { parent: isParent(parent) ? parent : undefined, name };
}

function member(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[indexOf(name, value.length - 1) ?? -1];
  return isParent(value) && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

function indexOf(name: string, last: number): number | undefined {
  const index = /^(?:0|[1-9]\d*)$/.test(name) ? Number(name) : Number.POSITIVE_INFINITY;
  return index <= last ? index : undefined;
}
