import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { ensureObject, listAt, objectAt, type ReadJson } from '../shared/draft.ts';
import { immutableText, invalidValue, required } from '../shared/errors.ts';
import { restoreMetadata, statusOnlyResets } from '../shared/status-write.ts';
import { cidrErrors, cidrFamily } from './ip-text.ts';

const field = 'spec.cidrs';
const cidrsOf = (object: ReadJson): readonly string[] => listAt(objectAt(object, 'spec'), 'cidrs').map(String);

function subnetErrors(cidrs: readonly string[]): readonly FieldError[] {
  if (cidrs.length === 0) return [required(field, 'at least one CIDR required')];
  if (cidrs.length > 2) return [invalidValue(field, { CIDRs: cidrs }, 'may only hold up to 2 values')];
  const errors = cidrs.flatMap((cidr, i) => cidrErrors(cidr, `${field}[${i}]`));
  const [first = '', second] = cidrs;
  if (second !== undefined && cidrFamily(first) !== '' && cidrFamily(first) === cidrFamily(second)) {
    const text = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
    errors.push(invalidValue(field, cidrs, text));
  }
  return errors;
}

/** A subnet stays what it is; a second one, of the other family, may be added. */
function changeErrors(cidrs: readonly string[], before: readonly string[]): readonly FieldError[] {
  const changed = (i: number) => invalidValue(`${field}[${i}]`, cidrs[i], immutableText);
  if (cidrs.length === before.length) return before.flatMap((cidr, i) => (cidr === cidrs[i] ? [] : [changed(i)]));
  if (before.length !== 1 || cidrs.length !== 2) return [invalidValue(field, cidrs, immutableText)];
  return [...(cidrs[0] === before[0] ? [] : [changed(0)]), ...subnetErrors(cidrs)];
}

export const serviceCidrStrategy: Strategy = {
  resets: statusOnlyResets,
  default: (draft) => void ensureObject(draft, 'status'),
  prepareUpdate(draft, old, { subresource }) {
    if (subresource === 'status') restoreMetadata(draft, old);
  },
  validateRules(object, old, _found, { subresource }) {
    if (subresource === 'status') return [];
    return old ? changeErrors(cidrsOf(object), cidrsOf(old)) : subnetErrors(cidrsOf(object));
  },
};
