import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { ensureObject, fill, given, listAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { forbiddenField, immutableText, invalidValue, notSupported, required } from '../shared/errors.ts';
import { dnsLabel, dnsSubdomain, wildcardSubdomain } from '../shared/names.ts';
import { formatErrors, nonNegative, positive, requiredName, unchanged } from '../shared/values.ts';

export const leaseStrategy: Strategy = {
  default: (draft) => void ensureObject(draft, 'spec'),
  validate(object) {
    const spec = objectAt(object, 'spec');
    return [
      ...positive(spec?.leaseDurationSeconds, 'spec.leaseDurationSeconds'),
      ...nonNegative(spec?.leaseTransitions, 'spec.leaseTransitions'),
    ];
  },
};

/** In the order in which the server names what was changed. */
const storageClassFixed = ['provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode'];

export const storageClassStrategy: Strategy = {
  default(draft) {
    fill(draft, 'reclaimPolicy', 'Delete');
    fill(draft, 'volumeBindingMode', 'Immediate');
  },
  validate(object) {
    const errors: FieldError[] = [];
    const policy = textAt(object, 'reclaimPolicy');
    if (!['Delete', 'Retain'].includes(policy))
      errors.push(notSupported('reclaimPolicy', policy, ['Delete', 'Retain']));
    const mode = textAt(object, 'volumeBindingMode');
    const modes = ['Immediate', 'WaitForFirstConsumer'];
    if (!modes.includes(mode)) errors.push(notSupported('volumeBindingMode', mode, modes));
    if (textAt(object, 'provisioner') === '') errors.push(required('provisioner'));
    return errors;
  },
  validateUpdate: (object, old) =>
    storageClassFixed
      .filter((key) => unchanged(object[key], old[key], key).length > 0)
      .map((key) => invalidValue(key, null, immutableText)),
};

/** Highest value a user's priority class may have. */
const highestUserPriority = 1_000_000_000;

const reservedText = "priority class names with 'system-' prefix are reserved for system use only";

export const priorityClassStrategy: Strategy = {
  default(draft) {
    fill(draft, 'preemptionPolicy', 'PreemptLowerPriority');
    fill(draft, 'value', 0);
  },
  validate(object) {
    const name = textAt(objectAt(object, 'metadata'), 'name');
    const value = Number(object.value ?? 0);
    if (name.startsWith('system-')) {
      const known = { 'system-cluster-critical': 2_000_000_000, 'system-node-critical': 2_000_001_000 }[name] === value;
      if (known) return [];
      return [forbiddenField('metadata.name', `${reservedText}. error: ${name} is not a known system priority class`)];
    }
    if (value <= highestUserPriority) return [];
    return [forbiddenField('value', `maximum allowed value of a user defined priority is ${highestUserPriority}`)];
  },
  validateUpdate: (object, old) => {
    const errors: FieldError[] = [];
    if (object.value !== old.value) errors.push(forbiddenField('value', 'may not be changed in an update.'));
    errors.push(...unchanged(object.preemptionPolicy, old.preemptionPolicy, 'preemptionPolicy'));
    return errors;
  },
};

export const ingressStrategy: Strategy = {
  default(draft) {
    ensureObject(draft, 'spec');
    ensureObject(ensureObject(draft, 'status'), 'loadBalancer');
  },
  warnings(object, old) {
    const annotation = 'kubernetes.io/ingress.class';
    if (old || !(annotation in (object.metadata.annotations ?? {}))) return [];
    return [`annotation ${JSON.stringify(annotation)} is deprecated, please use 'spec.ingressClassName' instead`];
  },
  validate(object) {
    const spec = objectAt(object, 'spec');
    const rules = objectsAt(spec, 'rules');
    if (rules.length === 0 && !objectAt(spec, 'defaultBackend')) {
      return [invalidValue('spec', spec?.rules, 'either `defaultBackend` or `rules` must be specified')];
    }
    return rules.flatMap((rule, i) => {
      const field = `spec.rules[${i}]`;
      const host = textAt(rule, 'host');
      const hostRule = host.includes('*') ? wildcardSubdomain : dnsSubdomain;
      const paths = objectsAt(objectAt(rule, 'http'), 'paths');
      return [
        ...(host === '' ? [] : formatErrors(host, `${field}.host`, hostRule)),
        ...paths.flatMap((path, j) => validateIngressPath(path, `${field}.http.paths[${j}]`)),
      ];
    });
  },
};

function validateIngressPath(path: ReadJson, field: string): readonly FieldError[] {
  const types = ['Exact', 'ImplementationSpecific', 'Prefix'];
  const type = path.pathType;
  if (!given(type)) return [required(`${field}.pathType`, 'pathType must be specified')];
  const errors: FieldError[] = [];
  if (!types.includes(String(type))) errors.push(notSupported(`${field}.pathType`, type, types));
  const text = textAt(path, 'path');
  if (type !== 'ImplementationSpecific' && !text.startsWith('/')) {
    errors.push(invalidValue(`${field}.path`, text, 'must be an absolute path'));
  }
  const backend = objectAt(path, 'backend');
  if (!objectAt(backend, 'service') && !objectAt(backend, 'resource')) {
    errors.push(invalidValue(`${field}.backend`, '', 'resource or service backend is required'));
  }
  return errors;
}

export const ingressClassStrategy: Strategy = {
  default(draft) {
    const parameters = objectAt(ensureObject(draft, 'spec'), 'parameters');
    if (parameters) fill(parameters, 'scope', 'Cluster');
  },
  validateUpdate: (object, old) =>
    unchanged(objectAt(object, 'spec')?.controller, objectAt(old, 'spec')?.controller, 'spec.controller'),
};

export const networkPolicyStrategy: Strategy = {
  default(draft) {
    const spec = ensureObject(draft, 'spec');
    ensureObject(spec, 'podSelector');
    if (listAt(spec, 'policyTypes').length === 0) {
      spec.policyTypes = listAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
    }
    for (const rule of [...objectsAt(spec, 'ingress'), ...objectsAt(spec, 'egress')]) {
      for (const port of objectsAt(rule, 'ports')) fill(port, 'protocol', 'TCP');
    }
  },
};

export const csiDriverStrategy: Strategy = {
  default(draft) {
    const spec = ensureObject(draft, 'spec');
    fill(spec, 'attachRequired', true);
    for (const key of [
      'podInfoOnMount',
      'storageCapacity',
      'requiresRepublish',
      'seLinuxMount',
      'preventPodSchedulingIfMissing',
    ])
      fill(spec, key, false);
    fill(spec, 'fsGroupPolicy', 'ReadWriteOnceWithFSType');
    if (listAt(spec, 'volumeLifecycleModes').length === 0) spec.volumeLifecycleModes = ['Persistent'];
  },
};

export const volumeAttachmentStrategy: Strategy = {
  prepareCreate(draft) {
    draft.status = { attached: false };
  },
};

export const runtimeClassStrategy: Strategy = {
  validate: (object) => requiredName(textAt(object, 'handler'), 'handler', dnsLabel),
  validateUpdate: (object, old) => unchanged(object.handler, old.handler, 'handler'),
};
