import type { FieldError } from '@coxswain/schema';
import { given, listAt, mapAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { dnsLabel, dnsSubdomain, portName, portNumber, qualifiedName } from '../shared/names.ts';
import { validateLabels } from '../shared/selectors.ts';
import { formatErrors } from '../shared/values.ts';
import { isHeadless } from './allocate.ts';
import { validateClusterAddresses } from './validate-addresses.ts';
import { validateBalancerClass, validateExternalAddresses, validateTraffic } from './validate-balancer.ts';

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const protocols = ['SCTP', 'TCP', 'UDP'];
const affinities = ['ClientIP', 'None'];

function validateTarget(target: unknown, field: string): readonly FieldError[] {
  if (typeof target === 'string') return formatErrors(target, field, portName);
  const number = Number(target ?? 0);
  return portNumber(number).map((text) => invalidValue(field, number, text));
}

function validatePort(port: ReadJson, names: Set<string>, nameNeeded: boolean, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const name = textAt(port, 'name');
  if (name === '') {
    if (nameNeeded) errors.push(required(`${field}.name`));
  } else {
    errors.push(...formatErrors(name, `${field}.name`, dnsLabel));
    if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
    names.add(name);
  }
  const number = Number(port.port ?? 0);
  errors.push(...portNumber(number).map((text) => invalidValue(`${field}.port`, number, text)));
  const protocol = textAt(port, 'protocol');
  if (protocol === '') errors.push(required(`${field}.protocol`));
  else if (!protocols.includes(protocol)) errors.push(notSupported(`${field}.protocol`, protocol, protocols));
  errors.push(...validateTarget(port.targetPort, `${field}.targetPort`));
  const application = textAt(port, 'appProtocol');
  if (application !== '') errors.push(...formatErrors(application, `${field}.appProtocol`, qualifiedName));
  return errors;
}

function validatePorts(spec: ReadJson): readonly FieldError[] {
  const ports = objectsAt(spec, 'ports');
  const names = new Set<string>();
  const errors = ports.flatMap((port, i) => validatePort(port, names, ports.length > 1, `spec.ports[${i}]`));
  if (textAt(spec, 'type') === 'ClusterIP') {
    ports.forEach((port, i) => {
      if (port.nodePort)
        errors.push(forbiddenField(`spec.ports[${i}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
    });
  }
  const nodePorts = new Set<string>();
  const numbers = new Set<string>();
  ports.forEach((port, i) => {
    const nodeKey = `${textAt(port, 'protocol')}/${String(port.nodePort)}`;
    if (port.nodePort && nodePorts.has(nodeKey)) errors.push(duplicate(`spec.ports[${i}].nodePort`, port.nodePort));
    nodePorts.add(nodeKey);
  });
  ports.forEach((port, i) => {
    const key = `${textAt(port, 'protocol')}/${String(port.port)}`;
    if (numbers.has(key)) errors.push(duplicate(`spec.ports[${i}]`, goPort(port)));
    numbers.add(key);
  });
  return errors;
}

/** A port as the server's message prints it: by its Go fields, only protocol and number set. */
function goPort(port: ReadJson): object {
  return { Name: '', Protocol: port.protocol, AppProtocol: null, Port: port.port, TargetPort: 0, NodePort: 0 };
}

function validateType(spec: ReadJson): readonly FieldError[] {
  const type = textAt(spec, 'type');
  const errors: FieldError[] = [];
  if (objectsAt(spec, 'ports').length === 0 && !isHeadless(spec) && type !== 'ExternalName') {
    errors.push(required('spec.ports'));
  }
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    errors.push(invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`));
  }
  if (type !== 'ExternalName') return errors;
  for (const key of ['clusterIPs', 'ipFamilies']) {
    if (listAt(spec, key).length > 0)
      errors.push(forbiddenField(`spec.${key}`, 'may not be set for ExternalName services'));
  }
  if (given(spec.ipFamilyPolicy))
    errors.push(forbiddenField('spec.ipFamilyPolicy', 'may not be set for ExternalName services'));
  const name = textAt(spec, 'externalName').replace(/\.$/, '');
  errors.push(
    ...(name === '' ? [required('spec.externalName')] : formatErrors(name, 'spec.externalName', dnsSubdomain)),
  );
  return errors;
}

function validateAffinity(spec: ReadJson): readonly FieldError[] {
  const affinity = textAt(spec, 'sessionAffinity');
  const config = objectAt(spec, 'sessionAffinityConfig');
  if (affinity === '') return [required('spec.sessionAffinity')];
  if (!affinities.includes(affinity)) return [notSupported('spec.sessionAffinity', affinity, affinities)];
  if (affinity === 'None') {
    return config
      ? [forbiddenField('spec.sessionAffinityConfig', 'must not be set when session affinity is None')]
      : [];
  }
  const seconds = Number(objectAt(config, 'clientIP')?.timeoutSeconds);
  if (seconds > 0 && seconds <= 86400) return [];
  return [
    invalidValue(
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds',
      seconds,
      'must be greater than 0 and less than 86400',
    ),
  ];
}

/** A whole Service. */
export function validateService(object: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const type = textAt(spec, 'type');
  return [
    ...validateType(spec),
    ...validatePorts(spec),
    ...validateLabels(mapAt(spec, 'selector'), 'spec.selector'),
    ...validateAffinity(spec),
    ...validateClusterAddresses(spec),
    ...validateExternalAddresses(spec),
    ...(types.includes(type) ? [] : [notSupported('spec.type', type, types)]),
    ...validateTraffic(object, spec),
  ];
}

/** The primary address stays once given, as long as the service has one; so does the class of a load balancer. */
export function validateServiceUpdate(object: ReadJson, old: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec');
  const before = objectAt(old, 'spec');
  return [...validatePrimaryKept(spec, before), ...validateBalancerClass(spec, before)];
}

function validatePrimaryKept(spec: ReadJson | undefined, before: ReadJson | undefined): readonly FieldError[] {
  if (textAt(spec, 'type') === 'ExternalName' || textAt(before, 'type') === 'ExternalName') return [];
  if (isHeadless(spec) && isHeadless(before)) return [];
  const next = listAt(spec, 'clusterIPs');
  const previous = listAt(before, 'clusterIPs');
  if (previous.length === 0 || next[0] === previous[0]) return [];
  const text = next.length === 0 ? 'primary clusterIP can not be unset' : 'may not change once set';
  return [invalidValue('spec.clusterIPs[0]', next, text)];
}
