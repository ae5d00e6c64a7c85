import { object, post, put } from '../build.ts';
import type { Scenario, Step } from '../types.ts';

/** Changes of a valid object: dotted path (`spec.ports.0.port`) → value; `undefined` takes the field away. */
export type Mutation = Readonly<Record<string, unknown>>;

/** A kind, and an object of it that is right. */
export interface Valid {
  readonly apiVersion: string;
  readonly kind: string;
  /** Path of the collection. */
  readonly path: string;
  /** Default: `m`. */
  readonly name?: string;
  readonly body: Readonly<Record<string, unknown>>;
}

type Container = Record<string, unknown> | unknown[];

function setAt(root: Container, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let at = root;
  for (const [i, key] of keys.entries()) {
    let next: unknown = Reflect.get(at, key);
    if (typeof next !== 'object' || next === null) {
      next = /^\d+$/.test(keys[i + 1] ?? last) ? [] : {};
      Reflect.set(at, key, next);
    }
    at = next as Container;
  }
  if (value === undefined) Reflect.deleteProperty(at, last);
  else Reflect.set(at, last, value);
}

function mutated(whole: Readonly<Record<string, unknown>>, mutation: Mutation): Record<string, unknown> {
  const copy = structuredClone(whole) as Record<string, unknown>;
  for (const [path, value] of Object.entries(mutation)) setAt(copy, path, value);
  return copy;
}

function noteOf(mutation: Mutation): string {
  const text = Object.entries(mutation).map(([path, value]) => `${path}=${JSON.stringify(value) ?? 'absent'}`);
  return text.join(' ').slice(0, 160);
}

/** The parts of a merge patch that bring about a mutation; lists are named as a whole. */
function patchOf(whole: Readonly<Record<string, unknown>>, mutation: Mutation): Record<string, unknown> {
  const after = mutated(whole, mutation);
  const patch: Record<string, unknown> = {};
  for (const path of Object.keys(mutation)) {
    const keys = path.split('.');
    const index = keys.findIndex((key) => /^\d+$/.test(key));
    const shown = index < 0 ? keys : keys.slice(0, index);
    let value: unknown = after;
    for (const key of shown) value = Reflect.get(Object(value), key);
    setAt(patch, shown.join('.'), value ?? null);
  }
  return patch;
}

function wholeOf({ apiVersion, kind, name = 'm', body }: Valid): Record<string, unknown> {
  return object(apiVersion, kind, name, body) as Record<string, unknown>;
}

/** Creates a changed object, without storing it. */
export function tries(valid: Valid, mutations: readonly Mutation[]): Step[] {
  const whole = wholeOf(valid);
  return mutations.map((mutation) =>
    post(`${valid.path}?dryRun=All`, mutated(whole, mutation), { verdict: true, note: noteOf(mutation) }),
  );
}

/** Creates the object, then updates it in different ways, without storing that. `suffix` is `/status` or nothing. */
export function updates(valid: Valid, mutations: readonly Mutation[], suffix = ''): Step[] {
  const whole = wholeOf(valid);
  const name = valid.name ?? 'm';
  return [
    post(valid.path, whole, { save: { stored: '' }, verdict: true, note: 'valid' }),
    ...mutations.map((mutation) =>
      put(`${valid.path}/${name}${suffix}?dryRun=All`, patchOf(whole, mutation), {
        base: 'stored',
        verdict: true,
        note: noteOf(mutation),
      }),
    ),
  ];
}

/** The valid object, and what becomes of each change on creation and on update. */
export function mutations(
  title: string,
  valid: Valid,
  {
    create = [],
    update = [],
    status = [],
  }: Readonly<Partial<Record<'create' | 'update' | 'status', readonly Mutation[]>>>,
): Scenario {
  const steps = [...tries(valid, create)];
  if (update.length > 0 || status.length > 0) steps.push(...updates(valid, update));
  if (status.length > 0) steps.push(...updates(valid, status, '/status').slice(1));
  return { title, steps };
}

/** One mutation for each value at one place. */
export const each = (path: string, ...values: readonly unknown[]): Mutation[] =>
  values.map((value) => ({ [path]: value }));
/** One mutation for each place that is left out. */
export const without = (...paths: readonly string[]): Mutation[] => paths.map((path) => ({ [path]: undefined }));
