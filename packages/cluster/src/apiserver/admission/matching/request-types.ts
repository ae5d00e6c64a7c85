import { type CelType, listOf, mapOf, structType, types } from '@coxswain/schema/cel';

const { string: text, int, bool, dyn, timestamp } = types;
const texts = listOf(text);
const map = mapOf(text, text);

const kind = structType('kubernetes.GroupVersionKind');
const resource = structType('kubernetes.GroupVersionResource');

/** Types of what expressions see of a request, by name. The objects in it are variables of their own. */
const fields: Readonly<Record<string, Readonly<Record<string, CelType>>>> = {
  'kubernetes.GroupVersionKind': { group: text, version: text, kind: text },
  'kubernetes.GroupVersionResource': { group: text, version: text, resource: text },
  'kubernetes.UserInfo': { username: text, uid: text, groups: texts, extra: mapOf(text, texts) },
  'kubernetes.AdmissionRequest': {
    kind,
    resource,
    subResource: text,
    requestKind: kind,
    requestResource: resource,
    requestSubResource: text,
    name: text,
    namespace: text,
    operation: text,
    userInfo: structType('kubernetes.UserInfo'),
    dryRun: bool,
    options: dyn,
  },
  'kubernetes.NamespaceSpec': { finalizers: texts },
  'kubernetes.NamespaceCondition': {
    status: text,
    type: text,
    lastTransitionTime: timestamp,
    message: text,
    reason: text,
  },
  'kubernetes.NamespaceStatus': { conditions: listOf(structType('kubernetes.NamespaceCondition')), phase: text },
  'kubernetes.NamespaceMetadata': {
    name: text,
    generateName: text,
    namespace: text,
    labels: map,
    annotations: map,
    UID: text,
    creationTimestamp: timestamp,
    deletionGracePeriodSeconds: int,
    deletionTimestamp: timestamp,
    generation: int,
    resourceVersion: text,
    finalizers: texts,
  },
  'kubernetes.Namespace': {
    metadata: structType('kubernetes.NamespaceMetadata'),
    spec: structType('kubernetes.NamespaceSpec'),
    status: structType('kubernetes.NamespaceStatus'),
  },
};

export const requestType = structType('kubernetes.AdmissionRequest');
export const namespaceType = structType('kubernetes.Namespace');

/** Types of the fields of {@link requestType} and {@link namespaceType}. */
export const requestFieldType = (typeName: string, field: string): CelType | undefined => {
  const known = fields[typeName];
  return known && Object.hasOwn(known, field) ? known[field] : undefined;
};
