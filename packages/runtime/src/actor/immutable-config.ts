import { createHash } from 'node:crypto';
import type { ConfigMap, Kind, KubeObject, Secret } from '@coxswain/k8s';
import { checkFunction, checkNumber, checkOptions, isConflict, isNotFound, keyOf, optionNames } from '../core/index.ts';
import type { ActorContext } from './types.ts';

/** On every version, with the name they have in common (or its digest, where that is too long for a label). */
const familyLabel = 'coxswain.dev/config';
/** Counts the changes, as a ControllerRevision does: a version that is gone back to gets the next number. Times have only seconds. */
const revisionAnnotation = 'coxswain.dev/config-revision';
const longestLabel = 63;
const longestName = 253;

type Texts = Readonly<Record<string, string>>;

/** What a version holds. `stringData` is for Secrets; `binaryData` for ConfigMaps. */
export interface ConfigContent {
  readonly data?: Texts;
  readonly stringData?: Texts;
  readonly binaryData?: Texts;
}

/** What `immutableConfig` makes, and how much of the past it keeps. */
export interface ImmutableConfigOptions<T extends ConfigMap | Secret> extends ConfigContent {
  /** `ConfigMap` or `Secret`; the actor has to own it (`.owns(ConfigMap)`). */
  readonly kind: Kind<T>;
  /** What the versions' names begin with: `NAME-4f1c2a9b03`. */
  readonly name: string;
  readonly labels?: Texts;
  /** The type of a Secret; default `Opaque`. */
  readonly type?: string;
  /** Versions kept beside the current one although nothing uses them: those that were current last; default 3. */
  readonly history?: number;
  /** Names that are in use: these versions stay, however old. `configsInTemplates` finds them in pod templates. Default: none. */
  readonly inUse?: () => Iterable<string>;
  /** Names a content; default: the first ten hexadecimal digits of a SHA-256 over it, in whatever order its keys come. */
  readonly digest?: (content: ConfigContent) => string;
}

const optionsOfConfig = optionNames<ImmutableConfigOptions<ConfigMap>>({
  kind: true,
  name: true,
  labels: true,
  type: true,
  data: true,
  stringData: true,
  binaryData: true,
  history: true,
  inUse: true,
  digest: true,
});

function checkConfig<T extends ConfigMap | Secret>(options: ImmutableConfigOptions<T>): void {
  const what = `immutableConfig(${options.name})`;
  checkOptions(what, options, optionsOfConfig);
  checkNumber(what, 'history', options.history, { whole: true });
  checkFunction(what, 'inUse', options.inUse, true);
  checkFunction(what, 'digest', options.digest, true);
}

/**
 * A ConfigMap or Secret that never changes: a new content makes a new object of another name, so that a rollout moves to it and can move back.
 * The same content has the same name, on every replica and after every restart. Versions that nothing uses are deleted, but for the
 * `history` that were current last; those of other owners are never touched.
 * @returns the current version; its name goes into the pod template
 * @throws RangeError when the name is too long, TypeError for an option that is not known
 */
export async function immutableConfig<T extends ConfigMap | Secret>(
  context: Pick<ActorContext<KubeObject>, 'object' | 'apply' | 'owned' | 'client'>,
  options: ImmutableConfigOptions<T>,
): Promise<T> {
  checkConfig(options);
  const { kind, name: base, labels = {}, type, data, stringData, binaryData, digest = digestOf } = options;
  const content: ConfigContent = {
    ...(data ? { data } : {}),
    ...(stringData ? { stringData } : {}),
    ...(binaryData ? { binaryData } : {}),
  };
  const name = `${base}-${digest(content)}`;
  if (name.length > longestName)
    throw new RangeError(`${kind.kind} "${base}": with its digest the name is longer than ${longestName}`);
  const family = familyOf(base);
  const { namespace } = context.object.metadata;
  const versions = context.owned(kind).filter(({ metadata }) => metadata.labels?.[familyLabel] === family);
  const metadata = {
    name,
    ...(namespace ? { namespace } : {}),
    labels: { ...labels, [familyLabel]: family },
    annotations: { [revisionAnnotation]: String(revisionFor(name, versions)) },
  };
  const wanted = { metadata, immutable: true, ...(type ? { type } : {}), ...content } as unknown as T;
  const current = await context.apply(kind, wanted);
  await collect(context, options, versions, name);
  return current;
}

async function collect<T extends ConfigMap | Secret>(
  { client }: Pick<ActorContext<KubeObject>, 'client'>,
  { kind, history = 3, inUse }: ImmutableConfigOptions<T>,
  versions: readonly T[],
  current: string,
): Promise<void> {
  const used = new Set(inUse?.() ?? []);
  const unused = versions.filter(
    ({ metadata: { name, deletionTimestamp } }) => name !== current && !used.has(name) && !deletionTimestamp,
  );
  for (const { metadata } of unused.toSorted(newestFirst).slice(history)) {
    const { uid } = metadata;
    try {
      await client.of(kind).delete(keyOf({ metadata }), uid ? { preconditions: { uid } } : {});
    } catch (error) {
      // Gone already, or another of that name since.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}

/** The current version has the highest number of all. */
function revisionFor(name: string, versions: readonly KubeObject[]): number {
  const others = versions.filter(({ metadata }) => metadata.name !== name).map(revisionOf);
  const mine = revisionOf(versions.find(({ metadata }) => metadata.name === name));
  const highest = Math.max(0, ...others);
  return mine > highest ? mine : highest + 1;
}

/** 0 of those that have none. */
function revisionOf(version: KubeObject | undefined): number {
  const revision = Number(version?.metadata.annotations?.[revisionAnnotation]);
  return Number.isSafeInteger(revision) && revision > 0 ? revision : 0;
}

function newestFirst(one: KubeObject, other: KubeObject): number {
  const [{ metadata: a }, { metadata: b }] = [one, other];
  const later = revisionOf(other) - revisionOf(one);
  if (later !== 0) return later;
  const [before, after] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
  if (before !== after) return before < after ? 1 : -1;
  return a.name < b.name ? -1 : 1;
}

function familyOf(base: string): string {
  return base.length <= longestLabel ? base : sha256(base);
}

function digestOf(content: ConfigContent): string {
  const sorted = (texts: Texts | undefined) => Object.entries(texts ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify([sorted(content.data), sorted(content.stringData), sorted(content.binaryData)]));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 10);
}
