import type { FieldError } from '@coxswain/schema';
import { validateEndpointAddress, validateStrictAddress } from '../core/endpoint-address.ts';
import { validateBalancerPlace } from '../networking/ingress.ts';
import { given, listAt, mapAt, numberAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { validateStrictRange } from '../shared/ip.ts';
import { portNumber, qualifiedName } from '../shared/names.ts';
import { formatErrors } from '../shared/values.ts';
import { isExternal } from './allocate.ts';

const onlyBalancers = "may only be used when `type` is 'LoadBalancer'";
const rangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const policies = ['Cluster', 'Local'];
const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];

const isBalancer = (spec: ReadJson | undefined): boolean => textAt(spec, 'type') === 'LoadBalancer';

function validateRanges(object: ReadJson, spec: ReadJson): readonly FieldError[] {
  const ranges = listAt(spec, 'loadBalancerSourceRanges').map(String);
  const text = mapAt(objectAt(object, 'metadata'), 'annotations')[rangesAnnotation];
  if (ranges.length === 0 && text === undefined) return [];
  const field = ranges.length > 0 ? 'spec.LoadBalancerSourceRanges' : `metadata.annotations[${rangesAnnotation}]`;
  const errors: FieldError[] = isBalancer(spec) ? [] : [forbiddenField(field, onlyBalancers)];
  if (ranges.length > 0) {
    return [...errors, ...ranges.flatMap((range, i) => validateStrictRange(range.trim(), `${field}[${i}]`))];
  }
  const parts = (text ?? '').trim() === '' ? [] : (text ?? '').split(',');
  return [...errors, ...parts.flatMap((range) => validateStrictRange(range.trim(), field))];
}

/** The class of a load balancer: given at creation, or never. */
export function validateBalancerClass(spec: ReadJson | undefined, old?: ReadJson): readonly FieldError[] {
  const name = spec?.loadBalancerClass;
  const field = 'spec.loadBalancerClass';
  if (!isBalancer(spec)) return given(name) ? [forbiddenField(field, onlyBalancers)] : [];
  const errors: FieldError[] = given(name) ? [...formatErrors(String(name), field, qualifiedName)] : [];
  if (!old || !isBalancer(old) || (old.loadBalancerClass ?? null) === (name ?? null)) return errors;
  return [invalidValue(field, name, 'may not change once set'), ...errors];
}

function validateHealthCheck(spec: ReadJson): readonly FieldError[] {
  const field = 'spec.healthCheckNodePort';
  const port = numberAt(spec, 'healthCheckNodePort') ?? 0;
  if (port === 0) return [];
  if (isBalancer(spec) && spec.externalTrafficPolicy === 'Local') {
    return portNumber(port).map((text) => invalidValue(field, port, text));
  }
  const text = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [invalidValue(field, port, text)];
}

function validateExternalPolicy(spec: ReadJson): readonly FieldError[] {
  const field = 'spec.externalTrafficPolicy';
  const policy = textAt(spec, 'externalTrafficPolicy');
  if (!isExternal(spec)) {
    return policy === '' ? [] : [invalidValue(field, policy, 'may only be set for externally-accessible services')];
  }
  if (policy === '') return [required(field)];
  return policies.includes(policy) ? [] : [notSupported(field, policy, policies)];
}

/** How traffic comes in and where it may go. */
export function validateTraffic(object: ReadJson, spec: ReadJson): readonly FieldError[] {
  const errors = [...validateRanges(object, spec)];
  if (given(spec.allocateLoadBalancerNodePorts) && !isBalancer(spec)) {
    errors.push(forbiddenField('spec.allocateLoadBalancerNodePorts', onlyBalancers));
  }
  errors.push(...validateBalancerClass(spec), ...validateExternalPolicy(spec), ...validateHealthCheck(spec));
  const internal = textAt(spec, 'internalTrafficPolicy');
  if (internal !== '' && !policies.includes(internal)) {
    errors.push(notSupported('spec.internalTrafficPolicy', internal, policies));
  }
  const distribution = spec.trafficDistribution;
  if (given(distribution) && !distributions.includes(String(distribution))) {
    errors.push(notSupported('spec.trafficDistribution', distribution, distributions));
  }
  return errors;
}

export function validateExternalAddresses(spec: ReadJson): readonly FieldError[] {
  return listAt(spec, 'externalIPs').flatMap((address, i) => {
    const field = `spec.externalIPs[${i}]`;
    const errors = validateStrictAddress(String(address), field);
    return errors.length > 0 ? errors : validateEndpointAddress(String(address), field);
  });
}

const modes = ['Proxy', 'VIP'];

/** Addresses the load balancer got. */
export function validateServiceStatus(object: ReadJson): readonly FieldError[] {
  const entries = objectsAt(objectAt(objectAt(object, 'status'), 'loadBalancer'), 'ingress');
  const field = 'status.loadBalancer.ingress';
  if (entries.length > 0 && !isBalancer(objectAt(object, 'spec'))) {
    return [forbiddenField(field, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  return entries.flatMap((entry, i) => {
    const place = `${field}[${i}]`;
    const errors = [...validateBalancerPlace(entry, place)];
    const mode = entry.ipMode;
    if (!given(mode)) return errors;
    if (textAt(entry, 'ip') === '') {
      errors.push(forbiddenField(`${place}.ipMode`, 'may not be specified when `ip` is not set'));
    }
    if (!modes.includes(String(mode))) errors.push(notSupported(`${place}.ipMode`, mode, modes));
    return errors;
  });
}
