import { type Kind, parseApiVersion } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import { isNotFound } from '@coxswain/runtime/core';
import { UsageError } from '../errors.ts';
import type { Manifest } from './load.ts';

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

async function served(client: Client, apiVersion: string): Promise<ResourceList | undefined> {
  const { group, version } = parseApiVersion(apiVersion);
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  try {
    return (await client.raw({ method: 'GET', path })) as ResourceList;
  } catch (error) {
    if (isNotFound(error) || (error instanceof Error && 'code' in error && error.code === 404)) return undefined;
    throw error;
  }
}

/**
 * The kind of a manifest as the server serves it; `undefined` when the server does not know it.
 */
export async function findKind(client: Client, manifest: Manifest): Promise<Kind | undefined> {
  const { apiVersion, kind } = manifest.object;
  const list = await served(client, apiVersion);
  const resource = list?.resources.find((candidate) => candidate.kind === kind && !candidate.name.includes('/'));
  if (!resource) return undefined;
  const { group, version } = parseApiVersion(apiVersion);
  return { group, version, kind, plural: resource.name, scope: resource.namespaced ? 'Namespaced' : 'Cluster' };
}

/** The complaint about a kind the server does not know, with what it does know. */
export async function unknownKind(client: Client, manifest: Manifest): Promise<UsageError> {
  const { apiVersion, kind } = manifest.object;
  const list = await served(client, apiVersion);
  const kinds = [
    ...new Set(list?.resources.filter((resource) => !resource.name.includes('/')).map((resource) => resource.kind)),
  ];
  const hint = list
    ? `${apiVersion} has ${kinds.sort().join(', ')}`
    : `nothing serves ${apiVersion}; is its CRD among the files?`;
  return new UsageError(`${manifest.place('kind')}: unknown kind "${kind}" in "${apiVersion}" (${hint})`);
}
