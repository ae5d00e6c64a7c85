import type { FieldError } from '@coxswain/schema';
import { validateStrictAddress } from '../core/endpoint-address.ts';
import { listAt, type ReadJson, textAt } from '../shared/draft.ts';
import { duplicate, invalidValue, notSupported, required } from '../shared/errors.ts';
import { addressFamily } from '../shared/ip.ts';
import { isHeadless } from './allocate.ts';

const families = ['IPv4', 'IPv6'];
const familyPolicies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

export const familyOf = (address: string): string => `IPv${addressFamily(address)}`;

function validateFamilies(spec: ReadJson): readonly FieldError[] {
  const given = listAt(spec, 'ipFamilies').map(String);
  const errors = given.flatMap((family, i) => {
    const field = `spec.ipFamilies[${i}]`;
    return [
      ...(families.includes(family) ? [] : [notSupported(field, family, families)]),
      ...(given.indexOf(family) < i ? [duplicate(field, family)] : []),
    ];
  });
  const policy = textAt(spec, 'ipFamilyPolicy');
  if (policy !== '' && !familyPolicies.includes(policy)) {
    errors.push(notSupported('spec.ipFamilyPolicy', policy, familyPolicies));
  }
  return errors;
}

function validatePrimary(spec: ReadJson): readonly FieldError[] {
  const one = textAt(spec, 'clusterIP');
  const many = listAt(spec, 'clusterIPs');
  if (one !== '' && many.length === 0) return [required('spec.clusterIPs')];
  if (one === '' && many.length > 0) {
    return [invalidValue('spec.clusterIPs', many, 'must be empty when `clusterIP` is not specified')];
  }
  if (one === many[0] || one === '') return [];
  return [invalidValue('spec.clusterIPs', many, 'first value must match `clusterIP`')];
}

/** Each address for itself; behind a bad one nothing more is said of them together. */
function validateForms(many: readonly string[]): readonly FieldError[] {
  return many.flatMap((address, i) => {
    if (i > 0 || address !== 'None') return validateStrictAddress(address, `spec.clusterIPs[${i}]`);
    if (many.length === 1) return [];
    return [invalidValue('spec.clusterIPs', many, "'None' must be the first and only value")];
  });
}

function validateTogether(spec: ReadJson, many: readonly string[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (many.length > 1 && new Set(many.map(familyOf)).size < 2) {
    errors.push(invalidValue('spec.clusterIPs', many, 'may specify no more than one IP for each IP family'));
  }
  if (isHeadless(spec)) return errors;
  const wanted = listAt(spec, 'ipFamilies').map(String);
  many.slice(0, wanted.length).forEach((address, i) => {
    const family = wanted[i] ?? '';
    if (!families.includes(family) || familyOf(address) === family) return;
    const article = `expected an ${family} value as indicated by \`ipFamilies[${i}]\``;
    errors.push(invalidValue(`spec.clusterIPs[${i}]`, address, article));
  });
  return errors;
}

/** Addresses of a service, the families they are of, and how many of those it wants. */
export function validateClusterAddresses(spec: ReadJson): readonly FieldError[] {
  if (textAt(spec, 'type') === 'ExternalName') return [];
  const many = listAt(spec, 'clusterIPs').map(String);
  const forms = validateForms(many);
  const errors = [...validatePrimary(spec), ...validateFamilies(spec), ...forms];
  if (many.length > 2) errors.push(invalidValue('spec.clusterIPs', many, 'may only hold up to 2 values'));
  return forms.length > 0 ? errors : [...errors, ...validateTogether(spec, many)];
}
