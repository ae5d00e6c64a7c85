import type { MutableJson } from '@coxswain/k8s';
import { isObject } from '../../builtin/shared/draft.ts';
import type { AdmissionAttributes, ResourceInfo } from '../../types.ts';
import { namespaceOf } from './attributes.ts';

const gvr = ({ group, version, plural }: ResourceInfo) => ({ group, version, resource: plural });

/** The kind of what is written: subresources have their own. */
function gvk(resource: ResourceInfo, subresource: string) {
  if (subresource === 'scale') return { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  const own = resource.subresources?.find((one) => one.name === subresource);
  const { group, version, kind } = own ?? resource;
  return { group: group ?? resource.group, version: version ?? resource.version, kind };
}

function deleteOptions(options: Readonly<Record<string, unknown>>): MutableJson {
  const { gracePeriodSeconds, propagation, uid, resourceVersion } = options;
  const preconditions = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion ? { resourceVersion } : {}) };
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(Object.keys(preconditions).length > 0 ? { preconditions } : {}),
    ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
  };
}

const optionKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions', CONNECT: undefined };

function optionsOf({ operation, options, dryRun }: AdmissionAttributes): MutableJson | null {
  const kind = optionKinds[operation];
  if (!kind) return isObject(options) && Object.keys(options).length > 0 ? { ...options } : null;
  const { fieldManager, fieldValidation } = options;
  const written = {
    ...(fieldManager ? { fieldManager } : {}),
    ...(fieldValidation ? { fieldValidation } : {}),
  };
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(dryRun ? { dryRun: ['All'] } : {}),
    ...(operation === 'DELETE' ? deleteOptions(options) : written),
  };
}

/** The request as expressions and webhooks see it, without the objects. */
export function requestOf(attributes: AdmissionAttributes, resource: ResourceInfo): MutableJson {
  const { subresource, name, operation, user, dryRun } = attributes;
  const namespace = namespaceOf(attributes);
  return {
    kind: gvk(resource, subresource),
    resource: gvr(resource),
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: gvk(attributes.resource, subresource),
    requestResource: gvr(attributes.resource),
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: {
      username: user.name,
      ...(user.uid ? { uid: user.uid } : {}),
      ...(user.groups.length > 0 ? { groups: user.groups } : {}),
      ...(user.extra && Object.keys(user.extra).length > 0 ? { extra: user.extra } : {}),
    },
    dryRun,
    options: optionsOf(attributes),
  };
}
