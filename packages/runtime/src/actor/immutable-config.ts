import { createHash } from 'node:crypto';
import type { ConfigMap, Kind, KubeObject, Secret } from '@coxswain/k8s';
import { isConflict, isNotFound, keyOf } from '../core/index.ts';
import type { ActorContext } from './types.ts';

/** On every version, with the name they have in common (or its digest, where that is too long for a label). */
const familyLabel = 'coxswain.dev/config';
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
  /** Versions kept beside the current one although nothing uses them, the newest; default 3. */
  readonly history?: number;
  /** Names that are in use: these versions stay, however old. `configsInTemplates` finds them in pod templates. Default: none. */
  readonly inUse?: () => Iterable<string>;
  /** Names a content; default: the first ten hexadecimal digits of a SHA-256 over it, in whatever order its keys come. */
  readonly digest?: (content: ConfigContent) => string;
}

/**
 * A ConfigMap or Secret that never changes: a new content makes a new object of another name, so that a rollout moves to it and can move back.
 * The same content has the same name, on every replica and after every restart. Versions that nothing uses are deleted, but for the newest
 * `history`; those of other owners are never touched.
 * @returns the current version; its name goes into the pod template
 * @throws RangeError when the name is too long
 */
export async function immutableConfig<T extends ConfigMap | Secret>(
  context: Pick<ActorContext<KubeObject>, 'object' | 'apply' | 'owned' | 'client'>,
  options: ImmutableConfigOptions<T>,
): Promise<T> {
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
  const metadata = { name, ...(namespace ? { namespace } : {}), labels: { ...labels, [familyLabel]: family } };
  const wanted = { metadata, immutable: true, ...(type ? { type } : {}), ...content } as unknown as T;
  const current = await context.apply(kind, wanted);
  await collect(context, options, family, name);
  return current;
}

async function collect<T extends ConfigMap | Secret>(
  { owned, client }: Pick<ActorContext<KubeObject>, 'owned' | 'client'>,
  { kind, history = 3, inUse }: ImmutableConfigOptions<T>,
  family: string,
  current: string,
): Promise<void> {
  const used = new Set(inUse?.() ?? []);
  const unused = owned(kind).filter(
    ({ metadata }) =>
      metadata.labels?.[familyLabel] === family &&
      metadata.name !== current &&
      !used.has(metadata.name) &&
      metadata.deletionTimestamp === undefined,
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

function newestFirst({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
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
