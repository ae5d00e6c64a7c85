import {
  Deployment,
  type Kind,
  type KubeObject,
  type OwnerReference,
  type Pod,
  parseApiVersion,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import { controllerOf, type ReconcileContext } from '@coxswain/runtime/controller';
import { isNotFound } from '@coxswain/runtime/core';

interface Scaled extends KubeObject {
  readonly spec?: { readonly replicas?: number };
}

/** Of the discovery document of a version, what is read here. */
interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string }[];
}

interface Controller {
  readonly uid: string;
  readonly replicas: number;
}

/** The workloads whose number of pods is read from the cache. */
const known: readonly Kind<Scaled>[] = [ReplicaSet, StatefulSet, ReplicationController, Deployment];

/** The number cannot be told, however often one asks. */
export class CannotExpect extends Error {
  override readonly name = 'CannotExpect';
}

/** How many pods the controllers of some pods want, and which pods nobody controls. */
export interface ExpectedPods {
  readonly count: number;
  readonly unmanaged: readonly string[];
}

/**
 * Adds up what the controllers of the pods want; a ReplicaSet of a Deployment stands for the whole Deployment.
 * @throws Error when that of one of them cannot be told
 */
export async function expectedPods(context: ReconcileContext, pods: readonly Pod[]): Promise<ExpectedPods> {
  const seen = new Set<string>();
  const replicas = new Map<string, number>();
  const unmanaged: string[] = [];
  for (const { metadata } of pods) {
    const owner = controllerOf({ metadata });
    if (!owner) unmanaged.push(metadata.name);
    if (!owner || seen.has(owner.uid)) continue;
    seen.add(owner.uid);
    const controller = await controllerFor(context, owner, metadata.namespace ?? '');
    if (!controller) throw new CannotExpect(`found no controllers for pod ${JSON.stringify(metadata.name)}`);
    replicas.set(controller.uid, controller.replicas);
  }
  return { count: [...replicas.values()].reduce((sum, count) => sum + count, 0), unmanaged };
}

async function controllerFor(
  context: ReconcileContext,
  owner: OwnerReference,
  namespace: string,
): Promise<Controller | undefined> {
  const { group } = parseApiVersion(owner.apiVersion);
  const kind = known.find((one) => one.kind === owner.kind && one.group === group);
  if (!kind) return scaleOf(context.client, owner, namespace);
  const object = context.cache.store(kind).get({ namespace, name: owner.name });
  if (object?.metadata.uid !== owner.uid) return undefined;
  const above = kind === ReplicaSet ? controllerOf(object) : undefined;
  if (above?.kind === 'Deployment') return controllerFor(context, above, namespace);
  return { uid: owner.uid, replicas: object.spec?.replicas ?? 1 };
}

/** Any other kind tells by its scale subresource. */
async function scaleOf(client: Client, owner: OwnerReference, namespace: string): Promise<Controller | undefined> {
  const { group, version } = parseApiVersion(owner.apiVersion);
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const { resources } = (await client.raw({ method: 'GET', path })) as ResourceList;
  const plural = resources.find(({ kind, name }) => kind === owner.kind && !name.includes('/'))?.name;
  if (plural === undefined) throw new CannotExpect(`no matches for kind ${owner.kind} in ${owner.apiVersion}`);
  if (!resources.some(({ kind, name }) => kind === 'Scale' && name === `${plural}/scale`)) {
    throw new CannotExpect(`${plural}${group === '' ? '' : `.${group}`} does not implement the scale subresource`);
  }
  const name = encodeURIComponent(owner.name);
  const at = `${path}/namespaces/${encodeURIComponent(namespace)}/${plural}/${name}/scale`;
  const scale = (await client.raw({ method: 'GET', path: at }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  })) as Scaled | undefined;
  if (scale?.metadata.uid !== owner.uid) return undefined;
  return { uid: owner.uid, replicas: scale.spec?.replicas ?? 0 };
}
