import { type Kind, type KubeObject, Pod } from '@coxswain/k8s';
import { json, merge } from '@coxswain/runtime/client';
import { isNotFound } from '@coxswain/runtime/core';
import type { FaultWorld } from './test-fault-world.ts';

export const namespace = 'default';
export const at = (name: string) => ({ namespace, name });
export const cnPods = 'matrixorigin.io/component=CNSet';

/** Something a user does, and what shall come of it. */
export interface Step {
  readonly name: string;
  run(world: FaultWorld): Promise<void>;
  reached(world: FaultWorld): Promise<boolean>;
  /** Whether what comes next depends on this having come to its end. Default: the user may go on at any time. */
  readonly first?: boolean;
}

/** The life of one kind: its last step takes everything away. */
export interface Life {
  readonly kind: string;
  readonly steps: readonly Step[];
}

interface Conditions {
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly observedGeneration?: number;
  }[];
}

/** Whether an object is Ready and Synced at its newest generation. */
export function settled<T extends KubeObject & { readonly status?: Conditions }>(kind: Kind<T>, name: string) {
  return async ({ client }: FaultWorld): Promise<boolean> => {
    const object = await client.of(kind).find(at(name));
    const holds = (wanted: string) =>
      object?.status?.conditions?.some(
        ({ type, status, observedGeneration }) =>
          type === wanted && status === 'True' && observedGeneration === object.metadata.generation,
      ) ?? false;
    return holds('Ready') && holds('Synced');
  };
}

export const gone =
  (kind: Kind, name: string) =>
  async ({ client }: FaultWorld): Promise<boolean> =>
    (await client.of(kind).find(at(name))) === undefined;

export function create<T extends KubeObject>(kind: Kind<T>, object: T) {
  return async (world: FaultWorld): Promise<void> => {
    const { metadata } = object;
    const placed = kind.scope === 'Cluster' ? metadata : { ...metadata, namespace };
    await world.drive(world.client.of(kind).create({ ...object, metadata: placed }));
  };
}

export const change = (kind: Kind, name: string, body: object) => async (world: FaultWorld) => {
  await world.drive(world.client.of(kind).patch(at(name), merge(body)));
};

/** Gives a pod an image that does not start. */
export const breakPod = (name: string) => async (world: FaultWorld) => {
  const broken = json([{ op: 'replace', path: '/spec/containers/0/image', value: 'invalid.example/broken:1' }]);
  await world.drive(world.client.of(Pod).patch(at(name), broken));
};

export const remove = (kind: Kind, name: string) => async (world: FaultWorld) => {
  await world.drive(world.client.of(kind).delete(at(name))).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
};

/** Created, changed in steps, deleted: for kinds whose conditions tell when they are settled. */
export function simple<T extends KubeObject & { readonly status?: Conditions }>(
  kind: Kind<T>,
  object: T,
  changes: Readonly<Record<string, object>>,
): Life {
  const { name } = object.metadata;
  const reached = settled(kind, name);
  return {
    kind: kind.kind,
    steps: [
      { name: 'create', run: create(kind, object), reached },
      ...Object.entries(changes).map(([title, body]) => ({ name: title, run: change(kind, name, body), reached })),
      { name: 'delete', run: remove(kind, name), reached: gone(kind, name) },
    ],
  };
}
