import { apiVersionOf, type Kind, type KubeObject } from '@coxswain/k8s';

/**
 * The form in which a store keeps objects: without managedFields (half of an object's size, and no reader needs them), with
 * apiVersion and kind, and only the metadata when that is all the store holds. Never changes what it is given.
 */
export function ingester<T extends KubeObject>(kind: Kind<T>, metadataOnly: boolean): (object: T) => T {
  const apiVersion = apiVersionOf(kind);
  return (object) => {
    const metadata = object.metadata.managedFields ? withoutManagedFields(object.metadata) : object.metadata;
    if (metadataOnly) return { apiVersion, kind: kind.kind, metadata } as T;
    if (object.kind === undefined || object.apiVersion === undefined)
      return { ...object, apiVersion, kind: kind.kind, metadata };
    return metadata === object.metadata ? object : { ...object, metadata };
  };
}

function withoutManagedFields(metadata: KubeObject['metadata']): KubeObject['metadata'] {
  const { managedFields: _, ...rest } = metadata;
  return rest;
}
