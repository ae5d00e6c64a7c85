import { type Authorize, authorizerValue, dynamicValue, requestResourceValue, type Value } from '@coxswain/schema/cel';
import type { Authorizer } from '../../authorization/index.ts';
import type { AdmissionAttributes, ResourceInfo, UserInfo } from '../../types.ts';
import { inVersion, namespaceOf } from './attributes.ts';
import { requestOf } from './request.ts';

/** Values by name; one that is missing is an error where it is read. */
export type Variables = Readonly<Record<string, Value | undefined>>;

/** Asks for the user of the request, or for the service account that the expression names. */
function authorizeFor(user: UserInfo, authorizer: Authorizer | undefined): Authorize {
  if (!authorizer) return () => ({ allowed: true, reason: '' });
  return ({ serviceAccount, verb, path, group = '', resource = '', subresource = '', namespace = '', name = '' }) => {
    const who = serviceAccount ? serviceAccountUser(serviceAccount) : user;
    if (path !== undefined) return authorizer.authorize(who, { kind: 'path', verb, path });
    return authorizer.authorize(who, { kind: 'resource', verb, group, resource, subresource, namespace, name });
  };
}

function serviceAccountUser({ namespace, name }: { readonly namespace: string; readonly name: string }): UserInfo {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { name: `system:serviceaccount:${namespace}:${name}`, groups };
}

/** The values that expressions about a write see. `resource`: the version they were written for. */
export function admissionVariables(
  attributes: AdmissionAttributes,
  resource: ResourceInfo,
  authorizer: Authorizer | undefined,
): Record<string, Value | undefined> {
  const { object, old, subresource, name, user } = attributes;
  const authorize = authorizeFor(user, authorizer);
  const shown = (side: Parameters<typeof inVersion>[0] | undefined) =>
    dynamicValue(side ? inVersion(side, attributes.resource, resource) : null);
  const { group, plural } = attributes.resource;
  const asked = { group, resource: plural, subresource, namespace: namespaceOf(attributes), name };
  return {
    object: shown(object),
    oldObject: shown(old),
    request: dynamicValue(requestOf(attributes, resource)),
    // Absent: there is no namespace (or for match conditions, none is shown), which is not an error to read.
    namespaceObject: null,
    authorizer: authorizerValue(authorize),
    'authorizer.requestResource': requestResourceValue(authorize, asked),
  };
}
