import { type ApiError, forbidden, notFound } from '@coxswain/runtime/core';
import { listAt, mapAt, objectAt, type ReadJson, sameJson, textAt } from '../../builtin/shared/draft.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../types.ts';
import { nameIn } from '../matching/index.ts';
import { forbiddenChanges } from './labels.ts';
import { podProblem } from './pods.ts';

const nodeUser = 'system:node:';
const nodeGroup = 'system:nodes';

/** Why a node may not do something; `undefined` when it may. */
type Rule = (node: string, attributes: AdmissionAttributes) => string | ApiError | undefined;

const labelsOf = (object: ReadJson | undefined) => mapAt(objectAt(object, 'metadata'), 'labels');

const nodeRule: Rule = (node, attributes) => {
  const { operation, object, old } = attributes;
  const who = `node ${JSON.stringify(node)}`;
  const name = nameIn(attributes);
  if (name !== node) return `${who} is not allowed to modify node ${JSON.stringify(name)}`;
  const before = old as ReadJson | undefined;
  const changed = forbiddenChanges(labelsOf(object), labelsOf(before)).join(', ');
  if (operation === 'CREATE') {
    return changed === '' ? undefined : `${who} is not allowed to set the following labels: ${changed}`;
  }
  if (operation !== 'UPDATE') return undefined;
  const list = (side: ReadJson | undefined, part: string, key: string) => listAt(objectAt(side, part), key);
  if (!sameJson(list(object, 'spec', 'taints'), list(before, 'spec', 'taints'))) {
    return `${who} is not allowed to modify taints`;
  }
  if (!sameJson(list(object, 'metadata', 'ownerReferences'), list(before, 'metadata', 'ownerReferences'))) {
    return `${who} is not allowed to modify ownerReferences`;
  }
  return changed === '' ? undefined : `is not allowed to modify labels: ${changed}`;
};

const sameName =
  (what: string): Rule =>
  (node, attributes) =>
    nameIn(attributes) === node ? undefined : `can only access ${what} with the same name as the requesting node`;

const leaseRule: Rule = (node, attributes) =>
  attributes.namespace === 'kube-node-lease'
    ? sameName('node lease')(node, attributes)
    : 'can only access leases in the "kube-node-lease" system namespace';

const tokenRule: Rule = (node, { operation, subresource, object, namespace, storage }) => {
  if (operation !== 'CREATE' || subresource !== 'token') return undefined;
  const reference = objectAt(objectAt(object, 'spec'), 'boundObjectRef');
  const name = textAt(reference, 'name');
  const uid = textAt(reference, 'uid');
  if (reference?.apiVersion !== 'v1' || reference.kind !== 'Pod' || name === '') {
    return 'node requested token not bound to a pod';
  }
  if (uid === '') return 'node requested token with a pod binding without a uid';
  const pod = storage.get({ resource: '/pods', namespace, name });
  if (!pod) return notFound({ group: '', plural: 'pods' }, name);
  if (uid !== pod.metadata.uid) {
    const why = 'The object might have been deleted and then recreated';
    return `the UID in the bound object reference (${uid}) does not match the UID in record. ${why}`;
  }
  const bound = textAt(objectAt(pod as unknown as ReadJson, 'spec'), 'nodeName');
  return bound === node ? undefined : 'node requested token bound to a pod scheduled on a different node';
};

const sliceRule: Rule = (node, { operation, object, old }) => {
  if (operation !== 'CREATE' && operation !== 'DELETE') return undefined;
  const slice = operation === 'CREATE' ? object : (old as ReadJson | undefined);
  if (textAt(objectAt(slice, 'spec'), 'nodeName') === node) return undefined;
  return `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
};

const rules: Readonly<Record<string, Rule>> = {
  '/pods': podProblem,
  '/nodes': nodeRule,
  '/persistentvolumeclaims': (_node, { subresource }) =>
    subresource === 'status' ? undefined : 'may only update PVC status',
  '/serviceaccounts': tokenRule,
  'coordination.k8s.io/leases': leaseRule,
  'storage.k8s.io/csinodes': sameName('CSINode'),
  'resource.k8s.io/resourceslices': sliceRule,
};

/** Lets a node (a user of `system:nodes`) change only what is its own. Off in a plain Kubernetes. */
export const nodeRestriction: AdmissionPlugin = {
  name: 'NodeRestriction',
  admit(attributes) {
    const { user, resource } = attributes;
    if (!user.name.startsWith(nodeUser) || !user.groups.includes(nodeGroup)) return;
    const problem = rules[`${resource.group}/${resource.plural}`]?.(user.name.slice(nodeUser.length), attributes);
    if (problem === undefined) return;
    throw typeof problem === 'string' ? forbidden(resource, nameIn(attributes), problem) : problem;
  },
};
