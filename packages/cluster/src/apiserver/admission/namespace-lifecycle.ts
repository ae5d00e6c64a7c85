import { forbidden, notFound } from '@coxswain/runtime/core';
import type { AdmissionAttributes, AdmissionPlugin } from '../types.ts';

const namespaces = { group: '', plural: 'namespaces' };

/** Namespaces the cluster cannot do without. */
const immortal = new Set(['default', 'kube-system', 'kube-public']);

function refuseProtected({ operation, resource, name }: AdmissionAttributes): void {
  const isNamespace = resource.group === '' && resource.plural === 'namespaces';
  if (operation === 'DELETE' && isNamespace && immortal.has(name)) {
    throw forbidden(namespaces, name, 'this namespace may not be deleted');
  }
}

function refuseTerminating({ resource, name, namespace }: AdmissionAttributes): never {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(resource, name, why, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]);
}

function check(attributes: AdmissionAttributes): void {
  const { operation, resource, namespace, storage } = attributes;
  if (operation === 'DELETE' || operation === 'CONNECT' || !resource.namespaced || namespace === '' || resource.answer)
    return;
  const found = storage.get({ resource: '/namespaces', namespace: '', name: namespace });
  if (!found) throw notFound(namespaces, namespace);
  if (operation === 'CREATE' && found.metadata.deletionTimestamp !== undefined) refuseTerminating(attributes);
}

/** Objects need a namespace that exists; a namespace that is going away takes no new ones. */
export const namespaceLifecycle: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  admit: check,
  validate: refuseProtected,
};
