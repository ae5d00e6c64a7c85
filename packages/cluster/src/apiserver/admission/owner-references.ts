import { parseApiVersion } from '@coxswain/k8s';
import { forbidden } from '@coxswain/runtime/core';
import type { Attributes, Authorizer } from '../authorization/index.ts';
import { objectAt, objectsAt, type ReadJson, sameJson, textAt } from '../builtin/shared/draft.ts';
import type { AdmissionAttributes, AdmissionPlugin, Registry } from '../types.ts';
import { nameIn } from './matching/index.ts';

const ownersOf = (object: ReadJson | undefined): readonly ReadJson[] =>
  objectsAt(objectAt(object, 'metadata'), 'ownerReferences');

/** References that now hold up the deletion of their owner, and did not before. */
function newlyBlocking(object: ReadJson, old: ReadJson | undefined): readonly ReadJson[] {
  const before = ownersOf(old);
  return ownersOf(object).filter(({ uid, blockOwnerDeletion }) => {
    return blockOwnerDeletion === true && before.find((one) => one.uid === uid)?.blockOwnerDeletion !== true;
  });
}

/** Which owner a user wants to set finalizers on. @throws ApiError Forbidden for a kind that is not served */
function finalizersOf(owner: ReadJson, attributes: AdmissionAttributes, registry: Registry): Attributes {
  const apiVersion = textAt(owner, 'apiVersion');
  const kind = textAt(owner, 'kind');
  const { group, version } = parseApiVersion(apiVersion);
  const found = registry.all().find((one) => one.group === group && one.version === version && one.kind === kind);
  if (!found) {
    const what = `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`;
    const why = `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${what}`;
    throw forbidden(attributes.resource, nameIn(attributes), why);
  }
  const namespace = found.namespaced ? attributes.namespace : '';
  const name = textAt(owner, 'name');
  const parts = { group, resource: found.plural, subresource: 'finalizers', namespace, name };
  return { kind: 'resource', verb: 'update', ...parts };
}

const everything: Attributes = {
  kind: 'resource',
  verb: 'update',
  group: '*',
  resource: '*',
  subresource: 'finalizers',
  namespace: '',
  name: '*',
};

function demandDelete(attributes: AdmissionAttributes, authorizer: Authorizer): void {
  const { resource, subresource, namespace, name, user } = attributes;
  const parts = { group: resource.group, resource: resource.plural, subresource, namespace, name };
  const { allowed, reason } = authorizer.authorize(user, { kind: 'resource', verb: 'delete', ...parts });
  if (allowed) return;
  const why = `cannot set an ownerRef on a resource you can't delete: ${reason}, <nil>`;
  throw forbidden(resource, nameIn(attributes), why);
}

/**
 * Who names an owner has to be allowed to delete the dependant, and who makes an owner's deletion wait for it, to set
 * finalizers on the owner. Off in a plain Kubernetes, on in some distributions.
 */
export function ownerReferencesPermission(authorizer: Authorizer, registry: Registry): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    validate(attributes) {
      const { operation, resource, subresource, object, old, user } = attributes;
      if ((operation !== 'CREATE' && operation !== 'UPDATE') || !object) return;
      if (resource.group === '' && resource.plural === 'pods' && subresource === 'status') return;
      if (sameJson(ownersOf(object), ownersOf(old as ReadJson | undefined))) return;
      if (operation === 'UPDATE') demandDelete(attributes, authorizer);
      const blocking = newlyBlocking(object, old as ReadJson | undefined);
      if (blocking.length === 0 || authorizer.authorize(user, everything).allowed) return;
      for (const owner of blocking) {
        const { allowed, reason } = authorizer.authorize(user, finalizersOf(owner, attributes, registry));
        if (allowed) continue;
        const what = "if an ownerReference refers to a resource you can't set finalizers on";
        throw forbidden(resource, nameIn(attributes), `cannot set blockOwnerDeletion ${what}: ${reason}, <nil>`);
      }
    },
  };
}
