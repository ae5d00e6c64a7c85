import { type Kind, type KubeObject, resourceName } from '@coxswain/k8s';
import { keyOf, keyString } from '../core/index.ts';

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

/** A child as it is wanted: what `object` says is applied, what it leaves out belongs to others. */
export function child<C extends KubeObject>(kind: Kind<C>, object: C, options: ChildOptions<C> = {}): Child {
  const { id = `${kind.kind}/${object.metadata.name}`, after = [], onImmutable = 'fail', ready = () => true } = options;
  // Only ever called with an object of this kind.
  return { kind, object, id, after, ready: ready as (child: KubeObject) => boolean, onImmutable };
}

/** The children that were asked for cannot be had together; nothing was written. */
export class ChildrenError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ChildrenError';
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

/**
 * The children in an order in which each comes after those it waits for.
 * @param owns the kinds that may be children
 * @throws ChildrenError for the same object or id twice, a kind that is not owned, an unknown id, or a circle
 */
export function orderChildren(children: readonly Child[], owns: readonly Kind[]): readonly Child[] {
  const owned = new Set(owns.map(resourceName));
  const byId = new Map<string, Child>();
  const seen = new Set<string>();
  for (const one of children) {
    const what = childName(one);
    if (!one.object.metadata.name) throw new ChildrenError(`a child of kind ${one.kind.kind} has no name; give it one`);
    if (!owned.has(resourceName(one.kind))) {
      throw new ChildrenError(`${what} is of a kind that is not owned; add ${one.kind.kind} to \`owns\``);
    }
    if (seen.has(identity(one.kind, one.object))) throw new ChildrenError(`${what} is wanted twice; say it once`);
    if (byId.has(one.id)) throw new ChildrenError(`two children have the id "${one.id}"; give ${what} another`);
    seen.add(identity(one.kind, one.object));
    byId.set(one.id, one);
  }
  return sorted(byId);
}

function sorted(byId: ReadonlyMap<string, Child>): readonly Child[] {
  const done = new Set<Child>();
  const visit = (one: Child, path: readonly string[]): void => {
    if (done.has(one)) return;
    if (path.includes(one.id)) {
      const circle = [...path.slice(path.indexOf(one.id)), one.id].join(' after ');
      throw new ChildrenError(`children wait for each other: ${circle}; break the circle`);
    }
    for (const id of one.after) {
      const before = byId.get(id);
      if (!before) {
        const known = [...byId.keys()].join(', ');
        throw new ChildrenError(`child "${one.id}" comes after "${id}", which is none of ${known}`);
      }
      visit(before, [...path, one.id]);
    }
    done.add(one);
  };
  for (const one of byId.values()) visit(one, []);
  return [...done];
}
