import {
  ControllerRevision,
  type Kind,
  type KubeObject,
  type LabelSelector,
  type PodTemplateSpec,
} from '@coxswain/k8s';
import { controllerReference } from '@coxswain/runtime/apply';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { deepEqual, isAlreadyExists, keyOf } from '@coxswain/runtime/core';
import { claim } from '../workload/claim.ts';
import { revisionHash, stableJson } from '../workload/hash.ts';
import { ignoreRace } from '../workload/tolerant.ts';

/** Label of pods: the name of the revision they were made from. */
export const revisionLabel = 'controller-revision-hash';

/** A workload whose templates are kept as ControllerRevisions. */
export interface RevisionOwner {
  readonly kind: Kind;
  readonly object: KubeObject;
  readonly template: PodTemplateSpec;
  readonly selector: LabelSelector;
  /** What its status says is current; `undefined` before the first roll is complete. */
  readonly currentName: string | undefined;
  /** Names that were found taken by other content so far. */
  readonly collisionCount: number;
  /** Old revisions to keep besides those in use. */
  readonly historyLimit: number;
  /** Label of its revisions that holds the hash in their names; default `controller.kubernetes.io/hash`. */
  readonly hashLabel?: string;
}

/** The template most pods have, and the one they should get. The same until the template changes. */
export interface Revisions {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly all: readonly ControllerRevision[];
  /** As it is after this pass. */
  readonly collisionCount: number;
}

/** The template a revision holds. It is stored as a patch (`$patch: replace`), as `kubectl rollout undo` wants it. */
export function templateOf(revision: ControllerRevision): PodTemplateSpec {
  const data = revision.data as
    | { readonly spec?: { readonly template?: PodTemplateSpec & { readonly $patch?: string } } }
    | undefined;
  const { $patch: _patch, ...template } = data?.spec?.template ?? {};
  return template;
}

function sorted(revisions: readonly ControllerRevision[]): ControllerRevision[] {
  return [...revisions].sort(
    (a, b) =>
      (a.revision ?? 0) - (b.revision ?? 0) ||
      Date.parse(a.metadata.creationTimestamp ?? '') - Date.parse(b.metadata.creationTimestamp ?? '') ||
      a.metadata.name.localeCompare(b.metadata.name),
  );
}

/** The owner's revisions; those that an earlier owner left behind are adopted. */
async function ownedRevisions(context: ReconcileContext, owner: RevisionOwner): Promise<ControllerRevision[]> {
  return sorted(await claim(context, owner, ControllerRevision));
}

/** With its keys in order: who compares revisions byte by byte has them so. */
function dataOf({ template }: RevisionOwner): object {
  return JSON.parse(stableJson({ spec: { template: { ...template, $patch: 'replace' } } })) as object;
}

/** The text of a revision's data as it is kept: keys in order, and without signs that mean something in HTML. */
function textOf(data: unknown): string {
  return stableJson(data).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const defaultHashLabel = 'controller.kubernetes.io/hash';

/** Most characters of the owner's name in that of a revision. */
const prefixLength = 223;

async function create(
  { client }: ReconcileContext,
  owner: RevisionOwner,
  number: number,
): Promise<{ readonly revision: ControllerRevision; readonly collisionCount: number }> {
  const { name, namespace, annotations } = owner.object.metadata;
  const revisions = client.of(ControllerRevision);
  const data = dataOf(owner);
  for (let collisionCount = owner.collisionCount; ; collisionCount++) {
    const hash = revisionHash(textOf(data), collisionCount);
    const wanted: ControllerRevision = {
      metadata: {
        name: `${name.slice(0, prefixLength)}-${hash}`,
        namespace: namespace ?? '',
        labels: { ...owner.template.metadata?.labels, [owner.hashLabel ?? defaultHashLabel]: hash },
        ...(annotations ? { annotations } : {}),
        ownerReferences: [controllerReference(owner.kind, owner.object)],
      },
      data: data as unknown as NonNullable<ControllerRevision['data']>,
      revision: number,
    };
    try {
      return { revision: await revisions.create(wanted), collisionCount };
    } catch (error) {
      if (!isAlreadyExists(error) || collisionCount >= owner.collisionCount + attempts) throw error;
      const taken = await revisions.find(keyOf(wanted));
      if (taken && sameTemplate(taken, owner)) return { revision: taken, collisionCount };
    }
  }
}

/** Names tried in one pass when other content has taken them. */
const attempts = 10;

function sameTemplate(revision: ControllerRevision, owner: RevisionOwner): boolean {
  return deepEqual(templateOf(revision), owner.template);
}

/** Finds the workload's revisions, making one for a new template; going back to an old template makes its revision the newest. */
export async function syncRevisions(context: ReconcileContext, owner: RevisionOwner): Promise<Revisions> {
  const known = await ownedRevisions(context, owner);
  const newest = known.at(-1);
  let { collisionCount } = owner;
  let update = known.findLast((revision) => sameTemplate(revision, owner));
  if (!update) {
    const created = await create(context, owner, (newest?.revision ?? 0) + 1);
    update = created.revision;
    collisionCount = created.collisionCount;
  } else if (newest && update !== newest)
    update = await context.client.of(ControllerRevision).update({ ...update, revision: (newest.revision ?? 0) + 1 });
  const name = update.metadata.name;
  const all = sorted([...known.filter((revision) => revision.metadata.name !== name), update]);
  const current = all.find((revision) => revision.metadata.name === owner.currentName) ?? update;
  return { current, update, all, collisionCount };
}

/** Deletes the oldest revisions that neither the workload nor a pod refers to, down to the limit. */
export async function truncateRevisions(
  { client }: ReconcileContext,
  owner: RevisionOwner,
  revisions: Revisions,
  inUse: ReadonlySet<string>,
): Promise<void> {
  const names = new Set([...inUse, revisions.current.metadata.name, revisions.update.metadata.name]);
  const idle = revisions.all.filter((revision) => !names.has(revision.metadata.name));
  for (const revision of idle.slice(0, Math.max(0, idle.length - owner.historyLimit)))
    await client.of(ControllerRevision).delete(keyOf(revision)).catch(ignoreRace);
}
