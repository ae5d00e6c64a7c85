import type { ConfigMap, KubeObject } from '@coxswain/k8s';
import { START_SCRIPT } from '../config/index.ts';

type Value = unknown;

/** Empty objects that Go prints for fields nobody set. */
const printedEmpty: ReadonlySet<string> = new Set(['resources', 'status', 'pythonUdfSidecar', 'scalingConfig', 'sharedStorageCache', 'updateStrategy']);

function isEmptyObject(value: Value): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

function withoutEmpties(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutEmpties);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, withoutEmpties(item)] as const);
  return Object.fromEntries(
    entries.filter(([key, item]) => item !== undefined && !(printedEmpty.has(key) && isEmptyObject(item))),
  );
}

/** The parts of an object that an operator decides: no owners (their UIDs differ), no zero values of Go. */
export function decided(object: KubeObject): Value {
  const { ownerReferences: _, finalizers: __, annotations, ...metadata } = object.metadata;
  const kept = annotations && Object.keys(annotations).length > 0 ? { annotations } : {};
  return withoutEmpties({ ...object, metadata: { ...metadata, ...kept } });
}

/** A ConfigMap without the text of its script, which is ours to write. */
export function withoutScript(map: ConfigMap): ConfigMap {
  const { [START_SCRIPT]: _, ...data } = map.data ?? {};
  return { ...map, data };
}

/** What the API server fills into a service. */
const serviceDefaults = ['clusterIPs', 'internalTrafficPolicy', 'externalTrafficPolicy', 'ipFamilies', 'ipFamilyPolicy', 'sessionAffinity', 'type'];

/** A service without what the API server filled in. */
export function sentService(service: KubeObject & { readonly spec?: object }): KubeObject {
  const spec = Object.fromEntries(
    Object.entries(service.spec ?? {}).filter(([key, value]) => !serviceDefaults.includes(key) || (key === 'type' && value !== 'ClusterIP')),
  );
  if (Array.isArray(spec.ports)) {
    spec.ports = spec.ports.map(({ protocol: _, targetPort: __, ...port }) => port);
  }
  return { ...service, spec } as KubeObject;
}
