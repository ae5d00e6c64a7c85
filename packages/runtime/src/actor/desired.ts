import { type Kind, type KubeObject, resourceName } from '@coxswain/k8s';
import { json } from '../client/index.ts';
import { checkFunction, checkOptions, isNotFound, keyOf, keyString, messageOf, optionNames } from '../core/index.ts';
import { type Child, ChildrenError, childName, identity, orderChildren } from './child-plan.ts';
import { immutableFields } from './immutable-fields.ts';
import { failure } from './outcome.ts';
import { readChildren } from './read-children.ts';
import { Resync } from './resync.ts';
import { type SummaryPart, summaryOf } from './summary.ts';
import type { Actor, ActorContext, Dependency, StatusOf } from './types.ts';

/** The children that an object controls, as they are. */
export interface ObservedChildren {
  of<C extends KubeObject>(kind: Kind<C>): readonly C[];
  /** By name; the first of that name. */
  get<C extends KubeObject>(kind: Kind<C>, name: string): C | undefined;
}

/** {@link ObservedChildren} of given objects: for tests of `children` and `status`. */
export function observedChildren(find: (kind: Kind) => readonly KubeObject[] = () => []): ObservedChildren {
  // Whoever gives the objects answers those of the kind that is asked for.
  const of = <C extends KubeObject>(kind: Kind<C>): readonly C[] => find(kind) as readonly C[];
  return { of, get: (kind, name) => of(kind).find(({ metadata }) => metadata.name === name) };
}

/** What `desired` makes an actor of; only `owns` and `children` are required. */
export interface DesiredOptions<T extends KubeObject> {
  /** The kinds that children may have: watched, and cleared of those that are no longer desired. */
  readonly owns: readonly Kind[];
  /** Kinds of `owns` whose children are let go instead of deleted, when they are no longer desired and at the end. */
  readonly keep?: readonly Kind[];
  /** All children that the object should have. Pure: the same answer for the same object and children. */
  children(object: T, context: { readonly observed: ObservedChildren }): readonly Child[];
  /** Fields of the status, of the children as they are after the pass; a field that is `undefined` is left as it was. */
  status?(object: T, observed: ObservedChildren): Partial<Omit<StatusOf<T>, 'conditions'>>;
  /** As of an actor. */
  dependencies?(object: T): readonly Dependency[];
  /** Kinds of the dependencies. @see Actor.dependsOn */
  readonly dependsOn?: readonly Kind[];
  /** Cleans up what no owner reference does, before the object goes; `true` when clean. Default: nothing to do. */
  finalize?(context: ActorContext<T>): Promise<boolean>;
}

const optionsOfDesired = optionNames<DesiredOptions<KubeObject>>({
  owns: true,
  keep: true,
  children: true,
  status: true,
  dependencies: true,
  dependsOn: true,
  finalize: true,
});

/** An {@link Actor} that keeps a set of children. */
export interface DesiredActor<T extends KubeObject> extends Actor<T>, Pick<DesiredOptions<T>, 'children' | 'status'> {
  readonly owns: readonly Kind[];
}

/** What came of one child in a pass. */
type Progress =
  | { readonly type: 'ready' }
  | { readonly type: 'unready' | 'blocked'; readonly waiting: string }
  | { readonly type: 'immutable'; readonly message: string };

/**
 * An actor that says what should be there instead of what to do: children are applied in order, those that are no longer
 * desired are deleted, and the condition `Ready` tells which are waited for. Children must be in the object's namespace,
 * unless the object is cluster-scoped: no owner reference reaches further.
 * @throws TypeError for an option that is not known, or a required one that is missing
 */
export function desired<T extends KubeObject>(options: DesiredOptions<T>): DesiredActor<T> {
  checkDesired(options);
  const { owns, children, status, dependencies, dependsOn, finalize } = options;
  const keep = new Set((options.keep ?? []).map(resourceName));
  return {
    owns,
    conditions: ['Ready'],
    children,
    ...(status ? { status } : {}),
    ...(dependencies ? { dependencies } : {}),
    ...(dependsOn ? { dependsOn } : {}),
    async observe(context) {
      const observed = observedChildren((kind) => context.owned(kind));
      const plan = planOf(context, owns, () => children(context.object, { observed }));
      let progress: readonly Progress[];
      try {
        progress = await applyAll(context, plan);
        await prune(context, owns, new Set(plan.map(({ kind, object }) => identity(kind, object))), keep);
        writeFields(context, status?.(context.object, observed));
      } catch (error) {
        if (!isStillReady(context, plan)) failReady(context, error);
        throw error;
      }
      conclude(context, progress);
      return undefined;
    },
    async finalize(context) {
      if (finalize && !(await finalize(context))) return false;
      for (const kind of owns) {
        if (keep.has(resourceName(kind)))
          await Promise.all(context.owned(kind).map((one) => letGo(context, kind, one)));
      }
      return true;
    },
  };
}

function checkDesired<T extends KubeObject>(options: DesiredOptions<T>): void {
  checkOptions('desired', options, optionsOfDesired);
  if (!Array.isArray(options?.owns)) throw new TypeError('desired: "owns" is the list of kinds that children may have');
  if (options.children === undefined) throw new TypeError('desired: "children" is missing; give a function');
  for (const name of ['children', 'status', 'dependencies'] as const)
    checkFunction('desired', name, options[name], true);
  checkFunction('desired', 'finalize', options.finalize);
}

/** The children that are wanted, in their order. @throws ChildrenError, which `Ready` tells, before anything was written */
function planOf<T extends KubeObject>(
  context: ActorContext<T>,
  owns: readonly Kind[],
  children: () => unknown,
): readonly Child[] {
  const { object, conditions } = context;
  const whose = `\`children\` of ${object.kind ?? 'the object'} ${keyString(keyOf(object))}`;
  try {
    return orderChildren(readChildren(children(), whose), { owner: object, owns });
  } catch (error) {
    if (error instanceof ChildrenError) {
      conditions.set('Ready', 'False', 'InvalidChildren', error.message);
      throw error;
    }
    const told = error instanceof Resync ? error : new Error(`${whose} threw: ${messageOf(error)}`, { cause: error });
    failReady(context, told);
    throw told;
  }
}

async function applyAll<T extends KubeObject>(
  context: ActorContext<T>,
  plan: readonly Child[],
): Promise<readonly Progress[]> {
  const progress = new Map<string, Progress>();
  for (const one of plan) {
    const before = one.after.find((id) => progress.get(id)?.type !== 'ready');
    const waiting = `${childName(one)} comes after ${before}, which is not ready`;
    progress.set(one.id, before === undefined ? await applyOne(context, one) : { type: 'blocked', waiting });
  }
  return [...progress.values()];
}

async function applyOne<T extends KubeObject>(context: ActorContext<T>, one: Child): Promise<Progress> {
  const { kind, object } = one;
  const gone: Progress = { type: 'blocked', waiting: `${childName(one)} is being deleted, to be made anew` };
  if (context.store(kind).get(keyOf(object))?.metadata.deletionTimestamp) return gone;
  try {
    return readiness(one, await context.apply(kind, object));
  } catch (error) {
    const fields = immutableFields(error);
    if (fields.length === 0) throw error;
    const existing = context.owned(kind).find((other) => identity(kind, other) === identity(kind, object));
    // What is not ours yet is never deleted to make room.
    if (one.onImmutable === 'fail' || !existing) {
      const message = `${childName(one)}: ${fields.join(', ')} cannot be changed; change it back, or delete the ${kind.kind}`;
      return { type: 'immutable', message };
    }
    const action = { type: 'Normal', reason: 'Recreate', action: 'Recreate' } as const;
    context.event({ ...action, message: `${childName(one)} is made anew: ${fields.join(', ')} cannot be changed` });
    const propagation = one.onImmutable === 'recreate' ? 'Background' : 'Orphan';
    if (!(await remove(context, kind, existing, propagation))) return gone;
    return readiness(one, await context.apply(kind, object));
  }
}

function readiness(one: Child, actual: KubeObject): Progress {
  return isChildReady(one, actual) ? { type: 'ready' } : { type: 'unready', waiting: `${childName(one)} is not ready` };
}

function isChildReady(one: Child, actual: KubeObject): boolean {
  let answer: unknown;
  try {
    answer = one.ready(actual);
  } catch (error) {
    if (error instanceof Resync) throw error;
    throw new Error(`\`ready\` of ${childName(one)} threw: ${messageOf(error)}`, { cause: error });
  }
  if (!(answer instanceof Promise)) return Boolean(answer);
  // Taken for its truth it would make every child ready; nobody waits for it, so its failure is nobody's.
  answer.catch(() => undefined);
  throw new Error(`\`ready\` of ${childName(one)} answered a Promise; it must answer at once`);
}

/**
 * Whether `Ready` holds although the pass failed: it was True for this very generation, and every child is seen to be there and
 * ready. So a server that is away for a moment makes nobody unready.
 */
function isStillReady<T extends KubeObject>({ object, conditions, store }: ActorContext<T>, plan: readonly Child[]) {
  const ready = conditions.get('Ready');
  if (ready?.status !== 'True' || ready.observedGeneration !== object.metadata.generation) return false;
  return plan.every((one) => {
    const actual = store(one.kind).get(keyOf(one.object));
    try {
      return actual !== undefined && !actual.metadata.deletionTimestamp && isChildReady(one, actual);
    } catch {
      return false;
    }
  });
}

/** Nobody knows how the children are: the pass did not get to see. */
function failReady<T extends KubeObject>({ conditions }: ActorContext<T>, error: unknown): void {
  const { reason, message } = failure(error, 'Reconcile');
  conditions.set('Ready', 'Unknown', reason, message);
}

/** Deletes just this object, not another of its name. @returns whether it is gone */
async function remove<T extends KubeObject>(
  { client, signal }: ActorContext<T>,
  kind: Kind,
  { metadata }: KubeObject,
  propagation: 'Background' | 'Orphan',
): Promise<boolean> {
  const { uid } = metadata;
  const options = { propagation, signal, ...(uid ? { preconditions: { uid } } : {}) };
  try {
    return (await client.of(kind).delete(keyOf({ metadata }), options)) === undefined;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}

/** Takes away the children that are no longer desired; only those the object controls. */
async function prune<T extends KubeObject>(
  context: ActorContext<T>,
  owns: readonly Kind[],
  wanted: ReadonlySet<string>,
  keep: ReadonlySet<string>,
): Promise<void> {
  for (const kind of owns) {
    for (const one of context.owned(kind)) {
      if (wanted.has(identity(kind, one)) || one.metadata.deletionTimestamp) continue;
      if (keep.has(resourceName(kind))) await letGo(context, kind, one);
      else await remove(context, kind, one, 'Background');
    }
  }
}

/** Removes our owner reference, at exactly the place where it was seen: the child stays, and is nobody's. */
async function letGo<T extends KubeObject>(
  { client, object, signal }: ActorContext<T>,
  kind: Kind,
  { metadata }: KubeObject,
): Promise<void> {
  const at = metadata.ownerReferences?.findIndex(({ uid }) => uid === object.metadata.uid) ?? -1;
  if (at < 0) return;
  const path = `/metadata/ownerReferences/${at}`;
  const operations = [
    { op: 'test', path: '/metadata/uid', value: metadata.uid },
    { op: 'test', path: `${path}/uid`, value: object.metadata.uid },
    { op: 'remove', path },
  ] as const;
  try {
    await client.of(kind).patch(keyOf({ metadata }), json(operations), { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function writeFields<T extends KubeObject>({ status }: ActorContext<T>, fields: object = {}): void {
  const said = Object.entries(fields).filter(([name, value]) => value !== undefined && name !== 'conditions');
  Object.assign(status, Object.fromEntries(said));
}

/** Says in `Ready` how far the children are. @throws Resync while some have to wait, Error when one is refused */
function conclude<T extends KubeObject>({ conditions }: ActorContext<T>, progress: readonly Progress[]): void {
  const refused = progress.flatMap((one) => (one.type === 'immutable' ? [one.message] : []));
  const waiting = progress.flatMap((one) => ('waiting' in one ? [one.waiting] : []));
  const parts: readonly SummaryPart[] = [
    ...refused.map((message) => ({ status: 'False', reason: 'ImmutableField', message }) as const),
    ...waiting.map((message) => ({ status: 'False', reason: 'ChildNotReady', message }) as const),
  ];
  const good = { reason: 'ChildrenReady', message: 'all children are ready' };
  const { status, reason, message } = summaryOf(parts, good);
  conditions.set('Ready', status, reason, message);
  // Asked for again and again, a refusal stays one: that is an error, with backoff.
  if (refused.length > 0) throw new Error(message);
  if (progress.some(({ type }) => type === 'blocked')) throw new Resync(message);
}
