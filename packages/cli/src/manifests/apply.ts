import type { Kind, KubeObject } from '@coxswain/k8s';
import { apply, type Client } from '@coxswain/runtime/client';
import { ApiError, isAlreadyExists, type ObjectKey } from '@coxswain/runtime/core';
import { messageOf, UsageError } from '../errors.ts';
import { findKind, unknownKind } from './kinds.ts';
import type { Manifest } from './load.ts';

/** One object that is now in the cluster. */
export interface Applied {
  readonly kind: Kind;
  readonly key: ObjectKey;
  readonly object: KubeObject;
}

const fieldManager = 'cox';

/** What others in the same input may need comes first. */
function rank(manifest: Manifest): number {
  return ['CustomResourceDefinition', 'Namespace'].indexOf(manifest.object.kind) >>> 0;
}

/** `matrixonecluster/mo`, as kubectl names an object. */
export function displayName(kind: Kind, name: string): string {
  return `${kind.kind.toLowerCase()}/${name}`;
}

function target(kind: Kind, manifest: Manifest): { key: ObjectKey; object: KubeObject } {
  const { metadata } = manifest.object;
  if (kind.scope === 'Cluster') return { key: { name: metadata.name }, object: manifest.object };
  const namespace = metadata.namespace ?? 'default';
  return {
    key: { namespace, name: metadata.name },
    object: { ...manifest.object, metadata: { ...metadata, namespace } },
  };
}

/** A refusal in the user's terms: the place in the file, the object, and each field that is wrong. */
function explain(error: unknown, kind: Kind, manifest: Manifest): UsageError {
  const name = displayName(kind, manifest.object.metadata.name);
  if (!(error instanceof ApiError))
    return new UsageError(`${manifest.place()}: ${name}: ${messageOf(error)}`, { cause: error });
  const causes = error.details.causes?.filter((cause) => cause.field) ?? [];
  const lines = causes.map((cause) => `${manifest.place(cause.field)}: ${name}: ${cause.field}: ${cause.message}`);
  return new UsageError(lines.length > 0 ? lines.join('\n') : `${manifest.place()}: ${name}: ${error.message}`, {
    cause: error,
  });
}

async function send(client: Client, kind: Kind, manifest: Manifest): Promise<Applied> {
  const { key, object } = target(kind, manifest);
  try {
    const stored = await client
      .of(kind)
      .patch(key, apply(object), { fieldManager, force: true, fieldValidation: 'Strict' });
    return { kind, key, object: stored };
  } catch (error) {
    throw explain(error, kind, manifest);
  }
}

/** Asks without storing. A create is asked for first: its refusals name every wrong field. */
async function ask(client: Client, kind: Kind, manifest: Manifest): Promise<void> {
  const { key, object } = target(kind, manifest);
  const options = { fieldManager, dryRun: true, fieldValidation: 'Strict' } as const;
  try {
    await client
      .of(kind)
      .create(object, options)
      .catch((error: unknown) => {
        if (isAlreadyExists(error)) return client.of(kind).patch(key, apply(object), { ...options, force: true });
        throw error;
      });
  } catch (error) {
    throw explain(error, kind, manifest);
  }
}

/** Asks the server about each object without storing any; those that wait for others of the input are left out. */
async function preflight(client: Client, manifests: readonly Manifest[]): Promise<void> {
  const namespaces = new Set(
    manifests.filter(({ object }) => object.kind === 'Namespace').map(({ object }) => object.metadata.name),
  );
  const bringsKinds = manifests.some(({ object }) => object.kind === 'CustomResourceDefinition');
  for (const manifest of manifests) {
    const kind = await findKind(client, manifest);
    if (!kind && bringsKinds) continue;
    if (!kind) throw await unknownKind(client, manifest);
    if (kind.scope === 'Namespaced' && namespaces.has(manifest.object.metadata.namespace ?? 'default')) continue;
    await ask(client, kind, manifest);
  }
}

/**
 * Applies all objects, or none: everything that can be asked beforehand is. When one is refused in spite of that,
 * the error names what was applied before it.
 * @throws UsageError
 */
export async function applyManifests(client: Client, manifests: readonly Manifest[]): Promise<Applied[]> {
  await preflight(client, manifests).catch((error: unknown) => {
    throw new UsageError(`${messageOf(error)}\nnothing was applied`, { cause: error });
  });
  const applied: Applied[] = [];
  for (const manifest of [...manifests].sort((a, b) => rank(a) - rank(b))) {
    try {
      const kind = await findKind(client, manifest);
      if (!kind) throw await unknownKind(client, manifest);
      applied.push(await send(client, kind, manifest));
    } catch (error) {
      const done = applied.map(({ kind, key }) => displayName(kind, key.name));
      const note = done.length > 0 ? `\nalready applied before this: ${done.join(', ')}` : '\nnothing was applied';
      throw new UsageError(`${messageOf(error)}${note}`, { cause: error });
    }
  }
  return applied;
}
