import type { Kind, KubeObject } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import { ApiError, isNotFound, keyOf } from '@coxswain/runtime/core';
import type { KindMonitors } from '../kinds/index.ts';

/** The objects of one kind in a namespace. */
export interface Contents {
  readonly kind: Kind;
  readonly objects: readonly KubeObject[];
}

/** What the stores show of a namespace, kinds without objects left out. */
export function contentsOf(monitors: KindMonitors, namespace: string): readonly Contents[] {
  const all: Contents[] = [];
  for (const { kind, store } of monitors.all()) {
    if (kind.scope !== 'Namespaced') continue;
    const objects = [...store.list({ namespace })];
    if (objects.length > 0) all.push({ kind, objects });
  }
  return all;
}

/** What is left of some contents, as the server says: the stores may not have heard yet of what was deleted last. */
export async function remaining(client: Client, namespace: string, contents: readonly Contents[]): Promise<Contents[]> {
  const lists = await Promise.all(
    contents.map(async ({ kind }) => {
      const { items } = await client.of(kind).list({ namespace, metadataOnly: true });
      return { kind, objects: items };
    }),
  );
  return lists.filter(({ objects }) => objects.length > 0);
}

/** Asks the server itself whether anything is left: a store may not have heard yet of what was made last. */
export async function anythingLeft(client: Client, monitors: KindMonitors, namespace: string): Promise<boolean> {
  for (const { kind } of monitors.all()) {
    if (kind.scope !== 'Namespaced') continue;
    const page = await client.of(kind).list({ namespace, limit: 1, metadataOnly: true });
    if (page.items.length > 0) return true;
  }
  return false;
}

/** Deletes what is not being deleted yet: all at once where the kind can, else one by one. */
export async function deleteContents(client: Client, namespace: string, { kind, objects }: Contents): Promise<void> {
  const pending = objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (pending.length === 0) return;
  const resource = client.of(kind);
  try {
    await resource.deleteCollection({ namespace, propagation: 'Background' });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 405) throw error;
    await Promise.all(
      pending.map(async (object) => {
        try {
          await resource.delete(keyOf(object), { propagation: 'Background' });
        } catch (failure) {
          if (!isNotFound(failure)) throw failure;
        }
      }),
    );
  }
}
