import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { ensureObject, fill, given, listAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { isRange, rangeOf, validateStrictRange } from '../shared/ip.ts';
import { portName, portNumber } from '../shared/names.ts';
import { validateLabelSelector } from '../shared/selectors.ts';
import { formatErrors } from '../shared/values.ts';

const protocols = ['TCP', 'UDP', 'SCTP'];
const policyTypes = ['Ingress', 'Egress'];

function validateEndPort(end: unknown, port: unknown, field: string): readonly FieldError[] {
  if (!given(end)) return [];
  if (!given(port)) return [invalidValue(field, end, 'may not be specified when `port` is not specified')];
  if (typeof port === 'string') return [invalidValue(field, end, 'may not be specified when `port` is non-numeric')];
  const errors = portNumber(Number(end)).map((text) => invalidValue(field, end, text));
  if (Number(end) < Number(port))
    return [invalidValue(field, end, 'must be greater than or equal to `port`'), ...errors];
  return errors;
}

function validatePort(port: ReadJson, field: string): readonly FieldError[] {
  const protocol = port.protocol;
  const number = port.port;
  const errors: FieldError[] = [];
  if (given(protocol) && !protocols.includes(String(protocol)))
    errors.push(notSupported(`${field}.protocol`, protocol, protocols));
  if (typeof number === 'number')
    errors.push(...portNumber(number).map((text) => invalidValue(`${field}.port`, number, text)));
  errors.push(...validateEndPort(port.endPort, number, `${field}.endPort`));
  if (typeof number === 'string') errors.push(...formatErrors(number, `${field}.port`, portName));
  return errors;
}

function validateBlock(block: ReadJson, field: string): readonly FieldError[] {
  const whole = textAt(block, 'cidr');
  if (whole === '') return [required(`${field}.cidr`)];
  const errors = [...validateStrictRange(whole, `${field}.cidr`)];
  if (!isRange(whole)) return errors;
  const outer = rangeOf(whole);
  listAt(block, 'except').forEach((entry, i) => {
    const text = String(entry);
    const place = `${field}.except[${i}]`;
    errors.push(...validateStrictRange(text, place));
    if (!isRange(text)) return;
    const inner = rangeOf(text);
    const free = BigInt((outer.family === 4 ? 32 : 128) - outer.bits);
    const inside =
      inner.family === outer.family && inner.bits > outer.bits && (inner.start >> free) << free === outer.start;
    if (!inside) errors.push(invalidValue(place, text, 'must be a strict subset of `cidr`'));
  });
  return errors;
}

function validatePeer(peer: ReadJson, field: string): readonly FieldError[] {
  const selectors = ['podSelector', 'namespaceSelector'].filter((key) => objectAt(peer, key));
  const block = objectAt(peer, 'ipBlock');
  const errors = selectors.flatMap((key) => [...validateLabelSelector(objectAt(peer, key), `${field}.${key}`)]);
  if (block) errors.push(...validateBlock(block, `${field}.ipBlock`));
  if (selectors.length === 0 && !block) errors.push(required(field, 'must specify a peer'));
  if (selectors.length > 0 && block) {
    errors.push(forbiddenField(field, 'may not specify both ipBlock and another peer'));
  }
  return errors;
}

function validateRules(spec: ReadJson | undefined, key: string, peers: string): readonly FieldError[] {
  return objectsAt(spec, key).flatMap((rule, i) => [
    ...objectsAt(rule, 'ports').flatMap((port, j) => validatePort(port, `spec.${key}[${i}].ports[${j}]`)),
    ...objectsAt(rule, peers).flatMap((peer, j) => validatePeer(peer, `spec.${key}[${i}].${peers}[${j}]`)),
  ]);
}

function validatePolicyTypes(spec: ReadJson | undefined): readonly FieldError[] {
  const types = listAt(spec, 'policyTypes');
  if (types.length > policyTypes.length) {
    return [invalidValue('spec.policyTypes', types, 'may not specify more than two policyTypes')];
  }
  return types.flatMap((type, i) =>
    policyTypes.includes(String(type)) ? [] : [notSupported(`spec.policyTypes[${i}]`, type, policyTypes)],
  );
}

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
  validate(object) {
    const spec = objectAt(object, 'spec');
    return [
      ...validateLabelSelector(objectAt(spec, 'podSelector'), 'spec.podSelector'),
      ...validateRules(spec, 'ingress', 'from'),
      ...validateRules(spec, 'egress', 'to'),
      ...validatePolicyTypes(spec),
    ];
  },
};
