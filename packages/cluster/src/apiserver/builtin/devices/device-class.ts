import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { ensureObject, objectAt, textAt } from '../shared/draft.ts';
import { invalidValue } from '../shared/errors.ts';
import { qualifiedName } from '../shared/names.ts';
import { asEntry, checkList } from './lists.ts';
import { checkConfiguration, checkSelectors } from './selectors.ts';

const mostConfigurations = 32;

/** Names such as `example.com/gpu`: not of Kubernetes' own domain, and not those of quotas. */
function isExtendedResource(name: string): boolean {
  const [domain = '', ...rest] = name.split('/');
  if (rest.length === 0 || domain === 'kubernetes.io' || domain.endsWith('.kubernetes.io')) return false;
  if (name.startsWith('requests.')) return false;
  return qualifiedName(`requests.${name}`).length === 0;
}

export const deviceClassStrategy: Strategy = {
  default: (draft) => void ensureObject(draft, 'spec'),
  validate(object) {
    const spec = objectAt(object, 'spec');
    const config = (entry: unknown, field: string) => checkConfiguration(asEntry(entry), field);
    const errors: FieldError[] = [
      ...checkSelectors(spec, 'spec'),
      ...checkList(spec, 'config', 'spec', mostConfigurations, config),
    ];
    const extended = textAt(spec, 'extendedResourceName');
    if (extended !== '' && !isExtendedResource(extended)) {
      const text = extended.includes('/')
        ? 'must be a valid extended resource name'
        : "a name must be a domain-prefixed path, such as 'example.com/my-prop'";
      errors.push(invalidValue('spec.extendedResourceName', extended, text));
    }
    return errors;
  },
};
