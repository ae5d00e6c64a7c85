import { ControllerRevision, type Kind, type KubeObject, type PodTemplateSpec } from '@coxswain/k8s';
import { controllerReference } from '@coxswain/runtime/apply';
import { controllerOf, type ReconcileContext } from '@coxswain/runtime/controller';
import { deepEqual, isAlreadyExists, keyOf } from '@coxswain/runtime/core';
import { contentHash } from '../workload/hash.ts';
import { ignoreRace } from '../workload/tolerant.ts';

/** Label of pods: the name of the revision they were made from. */
export const revisionLabel = 'controller-revision-hash';

/** A workload whose templates are kept as ControllerRevisions. */
export interface RevisionOwner {
  readonly kind: Kind;
  readonly object: KubeObject;
  readonly template: PodTemplateSpec;
  /** Labels of the revisions. */
  readonly labels: Readonly<Record<string, string>>;
  /** What its status says is current; `undefined` before the first roll is complete. */
  readonly currentName: string | undefined;
  /** Old revisions to keep besides those in use. */
  readonly historyLimit: number;
}

/** The template most pods have, and the one they should get. The same until the template changes. */
export interface Revisions {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly all: readonly ControllerRevision[];
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
    (a, b) => (a.revision ?? 0) - (b.revision ?? 0) || a.metadata.name.localeCompare(b.metadata.name),
  );
}

function ownedRevisions({ cache }: ReconcileContext, owner: RevisionOwner): ControllerRevision[] {
  const uid = owner.object.metadata.uid ?? '';
  return sorted(
    [...cache.store(ControllerRevision).by('owner', uid)].filter((revision) => controllerOf(revision)?.uid === uid),
  );
}

async function create({ client }: ReconcileContext, owner: RevisionOwner, number: number): Promise<ControllerRevision> {
  const { name, namespace } = owner.object.metadata;
  const revisions = client.of(ControllerRevision);
  for (let collision = 0; ; collision++) {
    const hash = contentHash(owner.template, collision);
    const wanted: ControllerRevision = {
      metadata: {
        name: `${name}-${hash}`,
        namespace: namespace ?? '',
        labels: { ...owner.labels, 'controller.kubernetes.io/hash': hash },
        ownerReferences: [controllerReference(owner.kind, owner.object)],
      },
      data: { spec: { template: { ...owner.template, $patch: 'replace' } } } as unknown as NonNullable<
        ControllerRevision['data']
      >,
      revision: number,
    };
    try {
      return await revisions.create(wanted);
    } catch (error) {
      if (!isAlreadyExists(error) || collision >= 10) throw error;
      const taken = await revisions.find(keyOf(wanted));
      if (taken && controllerOf(taken)?.uid === owner.object.metadata.uid && sameTemplate(taken, owner)) return taken;
    }
  }
}

function sameTemplate(revision: ControllerRevision, owner: RevisionOwner): boolean {
  return deepEqual(templateOf(revision), owner.template);
}

/** Finds the workload's revisions, making one for a new template; going back to an old template makes its revision the newest. */
export async function syncRevisions(context: ReconcileContext, owner: RevisionOwner): Promise<Revisions> {
  const known = ownedRevisions(context, owner);
  const newest = known.at(-1);
  let update = known.find((revision) => sameTemplate(revision, owner));
  if (!update) update = await create(context, owner, (newest?.revision ?? 0) + 1);
  else if (newest && update !== newest)
    update = await context.client.of(ControllerRevision).update({ ...update, revision: (newest.revision ?? 0) + 1 });
  const name = update.metadata.name;
  const all = sorted([...known.filter((revision) => revision.metadata.name !== name), update]);
  const current = all.find((revision) => revision.metadata.name === owner.currentName) ?? update;
  return { current, update, all };
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
