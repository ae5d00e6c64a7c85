import { type ApiError, notFound } from '@coxswain/runtime/core';
import { mapAt, objectAt, objectsAt, type ReadJson, sameJson, textAt } from '../../builtin/shared/draft.ts';
import type { AdmissionAttributes } from '../../types.ts';
import { usesSecrets } from '../mountable-secrets.ts';
import { isMirror } from '../pod-spec.ts';

const nodeNameOf = (pod: ReadJson | undefined): string => textAt(objectAt(pod, 'spec'), 'nodeName');

function livePod({ storage, namespace, name, resource }: AdmissionAttributes): ReadJson | ApiError {
  const found = storage.get({ resource: '/pods', namespace, name });
  return (found as unknown as ReadJson | undefined) ?? notFound(resource, name);
}

function ownerProblem(pod: ReadJson, node: string, { storage }: AdmissionAttributes): string | ApiError | undefined {
  const owners = objectsAt(objectAt(pod, 'metadata'), 'ownerReferences');
  const who = `node ${JSON.stringify(node)}`;
  if (owners.length > 1) return `${who} can only create pods with a single owner reference set to itself`;
  const [owner] = owners;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node) {
    return `${who} can only create pods with an owner reference set to itself`;
  }
  if (owner.controller !== true) return `${who} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true) return `${who} must not set blockOwnerDeletion on an owner reference`;
  const found = storage.get({ resource: '/nodes', namespace: '', name: node });
  if (!found) return notFound({ group: '', plural: 'nodes' }, node);
  if (owner.uid === found.metadata.uid) return undefined;
  return `node ${node} UID mismatch: expected ${String(owner.uid)} got ${found.metadata.uid}`;
}

/** What a pod refers to that a node could read by making it. */
function referenceIn(pod: ReadJson): string | undefined {
  const spec = objectAt(pod, 'spec') ?? {};
  if (textAt(spec, 'serviceAccountName') !== '') return 'serviceaccounts';
  if (usesSecrets(spec)) return 'secrets';
  const volumes = objectsAt(spec, 'volumes');
  if (volumes.some((volume) => objectAt(volume, 'configMap'))) return 'configmaps';
  if (volumes.some((volume) => objectAt(volume, 'persistentVolumeClaim'))) return 'persistentvolumeclaims';
  return undefined;
}

function createProblem(node: string, attributes: AdmissionAttributes): string | ApiError | undefined {
  const pod = attributes.object ?? {};
  const who = `node ${JSON.stringify(node)}`;
  if (!isMirror(pod)) {
    return `pod does not have "kubernetes.io/config.mirror" annotation, ${who} can only create mirror pods`;
  }
  if (nodeNameOf(pod) !== node) return `${who} can only create pods with spec.nodeName set to itself`;
  const ownership = ownerProblem(pod, node, attributes);
  if (ownership !== undefined) return ownership;
  const reference = referenceIn(pod);
  return reference === undefined ? undefined : `${who} can not create pods that reference ${reference}`;
}

function statusProblem(node: string, { object, old }: AdmissionAttributes): string | undefined {
  const who = `node ${JSON.stringify(node)}`;
  if (nodeNameOf(old as ReadJson | undefined) !== node) {
    return `${who} can only update pod status for pods with spec.nodeName set to itself`;
  }
  const [labels, before] = [object, old as ReadJson | undefined].map((pod) =>
    mapAt(objectAt(pod, 'metadata'), 'labels'),
  );
  if (!sameJson(labels, before)) return `${who} cannot update labels through pod status`;
  const [next, last] = [object, old as ReadJson | undefined].map((pod) => objectAt(pod, 'status') ?? {});
  if (sameJson(next?.resourceClaimStatuses ?? [], last?.resourceClaimStatuses ?? [])) return undefined;
  return `${who} cannot update resource claim statues`;
}

function boundProblem(attributes: AdmissionAttributes, node: string, text: string): string | ApiError | undefined {
  const pod = livePod(attributes);
  if (pod instanceof Error) return pod;
  return nodeNameOf(pod) === node ? undefined : text;
}

/** Why a node may not do this to a pod. */
export function podProblem(node: string, attributes: AdmissionAttributes): string | ApiError | undefined {
  const { operation, subresource } = attributes;
  const quoted = JSON.stringify(operation);
  switch (subresource) {
    case '':
      if (operation === 'CREATE') return createProblem(node, attributes);
      if (operation === 'DELETE') {
        const what = `node ${JSON.stringify(node)} can only delete pods with spec.nodeName set to itself`;
        return boundProblem(attributes, node, what);
      }
      return `unexpected operation ${quoted}, node ${JSON.stringify(node)} can only create and delete mirror pods`;
    case 'status':
      return operation === 'UPDATE' ? statusProblem(node, attributes) : `unexpected operation ${quoted}`;
    case 'eviction':
      if (operation !== 'CREATE') return `unexpected operation ${operation}`;
      return boundProblem(attributes, node, `node ${node} can only evict pods with spec.nodeName set to itself`);
    default:
      return `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`;
  }
}
