import { type KubeObject, resourceName } from '@coxswain/k8s';
import { compareVersions, type InformerState } from '@coxswain/runtime/cache';
import type { Client } from '@coxswain/runtime/client';
import { keyOf, keyString } from '@coxswain/runtime/core';

/**
 * How an informer differs from what the server has now, as a line for an error; `undefined` when it has seen all of it. The server is
 * asked for the metadata only.
 */
export async function behind(client: Client, { kind, scope, store }: InformerState): Promise<string | undefined> {
  const name = `the informer of ${resourceName(kind)}`;
  const { namespace, labels, fields } = scope;
  const missing = new Set([...store.list()].map((object) => keyString(keyOf(object))));
  const selection = { metadataOnly: true, ...(namespace ? { namespace } : {}) };
  const selectors = { ...(labels ? { labels } : {}), ...(fields ? { fields } : {}) };
  for await (const object of client.of(kind).listAll({ ...selection, ...selectors })) {
    const key = keyOf(object);
    missing.delete(keyString(key));
    const known = versionOf(store.get(key));
    if (known === undefined) return `${name} does not know ${keyString(key)} yet`;
    if (compareVersions(known, versionOf(object) ?? '') < 0)
      return `${name} has ${keyString(key)} at ${known}, the server at ${versionOf(object)}`;
  }
  const [gone] = missing;
  return gone === undefined ? undefined : `${name} still has ${gone}, which the server has no more`;
}

const versionOf = (object: KubeObject | undefined): string | undefined => object?.metadata.resourceVersion;
