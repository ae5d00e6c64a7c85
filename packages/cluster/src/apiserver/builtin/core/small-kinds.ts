import { isIP } from 'node:net';
import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import {
  ensureObject,
  fill,
  fillZero,
  listAt,
  objectAt,
  objectsAt,
  type ReadJson,
  sameJson,
  textAt,
} from '../shared/draft.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { portNumber } from '../shared/names.ts';

/** Zero values that events are always stored with. */
export const eventStrategy: Strategy = {
  ttlSeconds: 3600,
  default(draft) {
    const newer = draft.apiVersion === 'events.k8s.io/v1';
    ensureObject(draft, newer ? 'regarding' : 'involvedObject');
    ensureObject(draft, newer ? 'deprecatedSource' : 'source');
    for (const key of [
      'eventTime',
      newer ? 'deprecatedFirstTimestamp' : 'firstTimestamp',
      newer ? 'deprecatedLastTimestamp' : 'lastTimestamp',
    ]) {
      if (draft[key] === undefined) draft[key] = null;
    }
    if (newer) return;
    fill(draft, 'reportingComponent', '');
    fill(draft, 'reportingInstance', '');
  },
  validate: validateEvent,
};

/** An event lives in the namespace of what it is about; events about cluster-scoped objects live in `default`. */
function validateEvent(event: ReadJson): readonly FieldError[] {
  const about = objectAt(event, 'involvedObject') ?? objectAt(event, 'regarding');
  const own = textAt(objectAt(event, 'metadata'), 'namespace');
  const namespace = textAt(about, 'namespace');
  if (namespace === own || (namespace === '' && ['default', 'kube-system', ''].includes(own))) return [];
  return [invalidValue('involvedObject.namespace', namespace, 'does not match event.namespace')];
}

export const endpointsStrategy: Strategy = {
  default(draft) {
    for (const subset of objectsAt(draft, 'subsets')) {
      for (const port of objectsAt(subset, 'ports')) fillZero(port, 'protocol', 'TCP');
    }
  },
  validate: (object) =>
    objectsAt(object, 'subsets').flatMap((subset, i) => {
      const field = `subsets[${i}]`;
      const errors: FieldError[] = [];
      const addresses = [...objectsAt(subset, 'addresses'), ...objectsAt(subset, 'notReadyAddresses')];
      if (addresses.length === 0) errors.push(required(field, 'must specify `addresses` or `notReadyAddresses`'));
      addresses.forEach((address, j) => {
        const ip = textAt(address, 'ip');
        if (isIP(ip) !== 0) return;
        const own = `${field}.addresses[${j}].ip`;
        errors.push(invalidValue(own, ip, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'));
        errors.push(invalidValue(own, ip, 'must be a valid IP address'));
      });
      objectsAt(subset, 'ports').forEach((port, j) => {
        const number = Number(port.port ?? 0);
        errors.push(...portNumber(number).map((text) => invalidValue(`${field}.ports[${j}].port`, number, text)));
      });
      return errors;
    }),
};

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];

export const endpointSliceStrategy: Strategy = {
  default(draft) {
    for (const port of objectsAt(draft, 'ports')) {
      fill(port, 'name', '');
      fill(port, 'protocol', 'TCP');
    }
    if (draft.endpoints === undefined) draft.endpoints = null;
    if (draft.ports === undefined) draft.ports = null;
    for (const endpoint of objectsAt(draft, 'endpoints')) ensureObject(endpoint, 'conditions');
  },
  validate(object) {
    const errors: FieldError[] = [];
    const names = new Set<string>();
    objectsAt(object, 'ports').forEach((port, i) => {
      const name = textAt(port, 'name');
      if (names.has(name)) errors.push(duplicate(`ports[${i}].name`, name));
      names.add(name);
    });
    const type = textAt(object, 'addressType');
    if (type === '') errors.push(required('addressType'));
    else if (!addressTypes.includes(type)) errors.push(notSupported('addressType', type, addressTypes));
    objectsAt(object, 'endpoints').forEach((endpoint, i) => {
      if (listAt(endpoint, 'addresses').length === 0) errors.push(required(`endpoints[${i}].addresses`));
    });
    return errors;
  },
  validateUpdate: (object, old) =>
    object.addressType === old.addressType ? [] : [invalidValue('addressType', null, 'field is immutable')],
};

export const nodeStrategy: Strategy = {
  createsStatus: true,
  default(draft) {
    ensureObject(draft, 'spec');
    const status = ensureObject(draft, 'status');
    if (objectAt(status, 'capacity')) fill(status, 'allocatable', status.capacity);
    const daemon = ensureObject(ensureObject(status, 'daemonEndpoints'), 'kubeletEndpoint');
    fill(daemon, 'Port', 0);
    defaultNodeInfo(ensureObject(status, 'nodeInfo'));
  },
  validateUpdate(object, old) {
    const before = textAt(objectAt(old, 'spec'), 'podCIDR');
    const next = textAt(objectAt(object, 'spec'), 'podCIDR');
    const errors: FieldError[] = [];
    if (before !== '' && before !== next) {
      errors.push(forbiddenField('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
    }
    const provider = textAt(objectAt(old, 'spec'), 'providerID');
    if (provider !== '' && provider !== textAt(objectAt(object, 'spec'), 'providerID')) {
      errors.push(forbiddenField('spec.providerID', 'node updates may not change providerID except from "" to valid'));
    }
    return errors;
  },
};

function defaultNodeInfo(info: MutableJson): void {
  const keys = [
    'machineID',
    'systemUUID',
    'bootID',
    'kernelVersion',
    'osImage',
    'containerRuntimeVersion',
    'kubeletVersion',
    'kubeProxyVersion',
    'operatingSystem',
    'architecture',
  ];
  for (const key of keys) fill(info, key, '');
}

export const resourceQuotaStrategy: Strategy = {
  default(draft) {
    ensureObject(draft, 'spec');
    ensureObject(draft, 'status');
  },
  validateUpdate(object, old) {
    const same = sameJson(objectAt(object, 'spec')?.scopes ?? [], objectAt(old, 'spec')?.scopes ?? []);
    return same ? [] : [invalidValue('spec.scopes', objectAt(object, 'spec')?.scopes ?? null, 'field is immutable')];
  },
};

export const limitRangeStrategy: Strategy = {
  default(draft) {
    const spec = ensureObject(draft, 'spec');
    for (const item of objectsAt(spec, 'limits')) {
      if (item.type !== 'Container') continue;
      const limits = ensureObject(item, 'default');
      const requests = ensureObject(item, 'defaultRequest');
      for (const [key, value] of Object.entries(objectAt(item, 'max') ?? {})) fill(limits, key, value);
      for (const [key, value] of Object.entries(limits)) fill(requests, key, value);
      for (const [key, value] of Object.entries(objectAt(item, 'min') ?? {})) fill(requests, key, value);
    }
  },
};

const mountableSecrets = 'kubernetes.io/enforce-mountable-secrets';

export const serviceAccountStrategy: Strategy = {
  warnings(object, old) {
    const sets = (account: DynamicObject | undefined) => mountableSecrets in (account?.metadata.annotations ?? {});
    if (!sets(object) || sets(old)) return [];
    const what = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';
    return [`metadata.annotations[${mountableSecrets}]: ${what}`];
  },
};
