import { apiVersionOf, type Kind, type KubeObject } from '@coxswain/k8s';
import type { AppliedFieldsKeeper } from './applied-fields.ts';

export interface IngestOptions<T extends KubeObject> {
  /** Keep only metadata. */
  readonly metadataOnly?: boolean;
  /** What to keep of an object; see `InformerScope.transform`. */
  readonly transform?: ((object: T) => KubeObject) | undefined;
  /** Keeps what field managers of ours applied; absent: nobody asks for it. */
  readonly keeper?: AppliedFieldsKeeper;
  /** The transform cannot be used for an object, which is kept whole. Called once. */
  readonly onBadTransform?: (object: T, error: unknown) => void;
}

/**
 * The form in which a store keeps objects: without managedFields (half of an object's size; what our own field managers
 * applied is kept aside), with apiVersion and kind, only the metadata when that is all the store holds, and transformed.
 * Never changes what it is given.
 */
export function ingester<T extends KubeObject>(kind: Kind<T>, options: IngestOptions<T> = {}): (object: T) => T {
  const { transform } = options;
  const normal = normalizer(kind, options);
  if (!transform) return normal;
  let told = false;
  return (object) => {
    const whole = normal(object);
    try {
      return checked(transform(whole), whole) as T;
    } catch (error) {
      if (!told) options.onBadTransform?.(whole, error);
      told = true;
      return whole;
    }
  };
}

function normalizer<T extends KubeObject>(kind: Kind<T>, options: IngestOptions<T>): (object: T) => T {
  const { metadataOnly = false } = options;
  const apiVersion = apiVersionOf(kind);
  // Values that are not held cannot be compared with what was applied.
  const keeper = metadataOnly ? undefined : options.keeper;
  return (object) => {
    const metadata =
      object.metadata.managedFields === undefined ? object.metadata : withoutManagedFields(object.metadata, keeper);
    if (metadataOnly) return { apiVersion, kind: kind.kind, metadata } as T;
    if (object.kind === undefined || object.apiVersion === undefined)
      return { ...object, apiVersion, kind: kind.kind, metadata };
    return metadata === object.metadata ? object : { ...object, metadata };
  };
}

/** @throws Error when a transform took what the store tells objects and versions apart by */
function checked(object: KubeObject, whole: KubeObject): KubeObject {
  for (const field of ['name', 'namespace', 'uid', 'resourceVersion'] as const) {
    if (object?.metadata?.[field] !== whole.metadata[field])
      throw new Error(`the transform changed metadata.${field}, which must stay as it is`);
  }
  return object;
}

function withoutManagedFields(
  metadata: KubeObject['metadata'],
  keeper: AppliedFieldsKeeper | undefined,
): KubeObject['metadata'] {
  const { managedFields, ...rest } = metadata;
  if (Array.isArray(managedFields)) keeper?.keep(rest, managedFields);
  return rest;
}
