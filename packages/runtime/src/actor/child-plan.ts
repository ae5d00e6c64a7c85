import { type Kind, type KubeObject, resourceName } from '@coxswain/k8s';
import { ownershipObstacle } from '../apply/index.ts';
import type { WritableKind } from '../client/index.ts';
import { checkFunction, checkOptions, isFields, keyOf, keyString, optionNames } from '../core/index.ts';
import { shortList } from './short-list.ts';

/**
 * When the server refuses to change a field of a child:
 * - `fail`: the child stays as it is, and the condition `Ready` names the field.
 * - `recreate`: it is deleted with all that it owns, and made anew once it is gone.
 * - `orphanAndRecreate`: the same, but what it owns stays (a StatefulSet's pods).
 */
export type ImmutablePolicy = 'fail' | 'recreate' | 'orphanAndRecreate';

/** What `child` takes besides the object itself; all of it optional. */
export interface ChildOptions<C extends KubeObject> {
  /** How `after` of others names it; default `Kind/name`, such as `Deployment/web`. */
  readonly id?: string;
  /** Ids of children that must be ready before this one is applied. */
  readonly after?: readonly string[];
  /** Default: it is ready when it is there. */
  readonly ready?: (child: C) => boolean;
  /** Default `fail`. */
  readonly onImmutable?: ImmutablePolicy;
}

/** One desired child; made by {@link child}. */
export interface Child {
  readonly kind: Kind;
  readonly object: KubeObject;
  readonly id: string;
  readonly after: readonly string[];
  readonly ready: (child: KubeObject) => boolean;
  readonly onImmutable: ImmutablePolicy;
}

/**
 * A child as it is wanted: what `object` says is applied, what it leaves out belongs to others, or has a default.
 * @throws ChildrenError without an object, TypeError for an option that is not known or is nothing of its type
 */
export function child<C extends KubeObject, Input extends KubeObject = C>(
  kind: WritableKind<C, Input>,
  object: NoInfer<Input>,
  options: ChildOptions<C> = {},
): Child {
  if (!isFields(kind) || !kind.kind) throw new ChildrenError('child(kind, object): the first argument is not a kind');
  if (!isFields(object) || !isFields(object.metadata)) {
    throw new ChildrenError(`child(${kind.kind}, object): the object has no metadata; give it a name there`);
  }
  checkChildOptions(`child(${kind.kind} ${object.metadata.name})`, options);
  const { id = `${kind.kind}/${object.metadata.name}`, after = [], onImmutable = 'fail', ready = () => true } = options;
  // Only ever called with an object of this kind.
  return { kind, object, id, after, ready: ready as (child: KubeObject) => boolean, onImmutable };
}

const optionsOfChild = optionNames<ChildOptions<KubeObject>>({ id: true, after: true, ready: true, onImmutable: true });
const policies: readonly string[] = ['fail', 'recreate', 'orphanAndRecreate'] satisfies ImmutablePolicy[];

/** The children that were asked for cannot be had together; nothing was written. */
export class ChildrenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ChildrenError';
  }
}

function checkChildOptions<C extends KubeObject>(what: string, options: ChildOptions<C>): void {
  checkOptions(what, options, optionsOfChild);
  const { after, ready, onImmutable } = options;
  if (after !== undefined && !Array.isArray(after)) throw new TypeError(`${what}: \`after\` is a list of ids`);
  checkFunction(what, 'ready', ready, true);
  if (onImmutable !== undefined && !policies.includes(onImmutable)) {
    throw new TypeError(`${what}: \`onImmutable\` is one of ${policies.join(', ')}, not ${String(onImmutable)}`);
  }
}

/** `Deployment default/web`, as people are told. */
export function childName({ kind, object }: Pick<Child, 'kind' | 'object'>): string {
  return `${kind.kind} ${keyString(keyOf(object))}`;
}

/** What tells one object of a cluster from all others. */
export function identity(kind: Kind, object: KubeObject): string {
  return `${resourceName(kind)} ${keyString(keyOf(object))}`;
}

/** Whose children they are, and what they may be. */
export interface PlanOf {
  readonly owner: KubeObject;
  /** The kinds that may be children. */
  readonly owns: readonly Kind[];
}

/**
 * The children in an order in which each comes after those it waits for.
 * @throws ChildrenError for the same object or id twice, a kind that is not owned, a namespace that the owner cannot own in,
 *   an unknown id, or a circle
 */
export function orderChildren(children: readonly Child[], { owner, owns }: PlanOf): readonly Child[] {
  const owned = new Set(owns.map(resourceName));
  const byId = new Map<string, Child>();
  const seen = new Set<string>();
  for (const one of children) {
    if (!one.object.metadata.name) throw new ChildrenError(`a child of kind ${one.kind.kind} has no name; give it one`);
    const what = childName(one);
    if (!owned.has(resourceName(one.kind))) {
      throw new ChildrenError(`${what} is of a kind that is not owned; add ${one.kind.kind} to \`owns\``);
    }
    const misplaced = ownershipObstacle(owner, one.kind, one.object);
    if (misplaced) throw new ChildrenError(`${what} cannot be a child: ${misplaced}`);
    if (seen.has(identity(one.kind, one.object))) throw new ChildrenError(`${what} is wanted twice; say it once`);
    if (byId.has(one.id)) throw new ChildrenError(`two children have the id "${one.id}"; give ${what} another`);
    seen.add(identity(one.kind, one.object));
    byId.set(one.id, one);
  }
  return sorted(byId);
}

/** A child on the way to its place: `next` is the first of its `after` that was not looked at yet. */
interface Visit {
  readonly one: Child;
  next: number;
}

/** By a stack of its own, since chains may be longer than the engine's. */
function sorted(byId: ReadonlyMap<string, Child>): readonly Child[] {
  const order = new Set<Child>();
  const open = new Set<Child>();
  const path: Visit[] = [];
  for (const start of byId.values()) {
    if (!order.has(start)) enter(start);
    for (let visit = path.at(-1); visit; visit = path.at(-1)) {
      const { one } = visit;
      const id = one.after[visit.next++];
      if (id === undefined) {
        path.pop();
        order.add(one);
        continue;
      }
      const before = byId.get(id);
      if (!before) throw new ChildrenError(unknownId(one, id, [...byId.keys()]));
      if (open.has(before) && !order.has(before)) throw new ChildrenError(circle(path, before));
      if (!order.has(before)) enter(before);
    }
  }
  return [...order];

  function enter(one: Child): void {
    open.add(one);
    path.push({ one, next: 0 });
  }
}

function unknownId({ id }: Child, wanted: string, known: readonly string[]): string {
  return `child "${id}" comes after "${wanted}", which is none of ${shortList(known, ', ')}`;
}

function circle(path: readonly Visit[], again: Child): string {
  const ids = path.slice(path.findIndex(({ one }) => one === again)).map(({ one }) => one.id);
  return `children wait for each other: ${shortList(ids, ' after ')} after ${again.id}; break the circle`;
}
