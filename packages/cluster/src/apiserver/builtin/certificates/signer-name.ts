import type { FieldError } from '@coxswain/schema';
import { invalidValue, required, tooLong } from '../shared/errors.ts';
import { dnsLabel, dnsSubdomain } from '../shared/names.ts';

const longestDomain = 253;
const longestName = 571;

/** The first label of `segment` that is bad says it all. */
function labelErrors(
  segment: string,
  field: string,
  rule: (label: string) => readonly string[],
): readonly FieldError[] {
  for (const label of segment.split('.')) {
    const texts = rule(label);
    if (texts.length > 0) {
      return texts.map((text) => invalidValue(field, segment, `validating label ${JSON.stringify(label)}: ${text}`));
    }
  }
  return [];
}

/** Checks the name of a signer: `example.com/some-name`. */
export function checkSignerName(name: string, field: string): readonly FieldError[] {
  if (name === '') return [required(field)];
  const segments = name.split('/');
  const [domain = '', path = ''] = segments;
  if (segments.length !== 2) {
    const text = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalidValue(field, name, text)];
  }
  const errors: FieldError[] = domain.length > longestDomain ? [tooLong(field, longestDomain)] : [];
  errors.push(...labelErrors(domain, field, dnsLabel));
  if (!domain.includes('.')) {
    errors.push(invalidValue(field, domain, 'should be a domain with at least two segments separated by dots'));
  }
  errors.push(...labelErrors(path, field, dnsSubdomain));
  if (name.length > longestName) errors.push(tooLong(field, longestName));
  return errors;
}

/** Whether a signer is one of Kubernetes' own. */
export function isKubernetesSigner(name: string): boolean {
  const domain = name.split('/')[0] ?? '';
  return domain === 'kubernetes.io' || domain.endsWith('.kubernetes.io');
}
