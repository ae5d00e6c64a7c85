import type { MutableJson } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { ensureObject, fillZero, listAt, objectAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue } from '../shared/errors.ts';
import { qualifiedName } from '../shared/names.ts';

const nameLabel = 'kubernetes.io/metadata.name';

function defaultNamespace(draft: MutableJson): void {
  const metadata = ensureObject(draft, 'metadata');
  const name = textAt(metadata, 'name');
  if (name !== '') ensureObject(metadata, 'labels')[nameLabel] = name;
  ensureObject(draft, 'spec');
  fillZero(ensureObject(draft, 'status'), 'phase', 'Active');
}

function validateFinalizers(object: ReadJson): readonly FieldError[] {
  return listAt(objectAt(object, 'spec'), 'finalizers').flatMap((finalizer) => {
    const name = String(finalizer);
    const errors = qualifiedName(name).map((text) => invalidValue('spec.finalizers', name, text));
    if (!name.includes('/') && !['kubernetes', 'orphan', 'foregroundDeletion'].includes(name)) {
      errors.push(
        invalidValue('spec.finalizers', name, 'name is neither a standard finalizer name nor is it fully qualified'),
      );
    }
    return errors;
  });
}

export const namespaceStrategy: Strategy = {
  default: defaultNamespace,
  prepareCreate(draft) {
    draft.status = { phase: 'Active' };
    const spec = ensureObject(draft, 'spec');
    const finalizers = listAt(spec, 'finalizers');
    if (!finalizers.includes('kubernetes')) spec.finalizers = [...finalizers, 'kubernetes'];
  },
  prepareUpdate(draft, old, { subresource }) {
    if (subresource !== '') return;
    draft.spec = { ...objectAt(draft, 'spec'), finalizers: [...listAt(objectAt(old, 'spec'), 'finalizers')] };
    draft.status = old.status;
  },
  holdsDeletion: (namespace) => listAt(objectAt(namespace, 'spec'), 'finalizers').length > 0,
  prepareDelete(draft) {
    ensureObject(draft, 'status').phase = 'Terminating';
  },
  validate: validateFinalizers,
};
