import type { MutableJson } from '@coxswain/k8s';
import { formatTime } from '@coxswain/runtime/core';
import { ensureObject, fill, fillZero, listAt, objectAt, objectsAt, textAt } from '../builtin/shared/draft.ts';
import type { Strategy } from '../types.ts';
import { beginCleanup } from './cleanup.ts';
import { definitionRules } from './definition-rules.ts';
import { validateCrd, validateCrdUpdate } from './validate.ts';

function storageVersionOf(spec: MutableJson): string | undefined {
  const version = objectsAt(spec, 'versions').find((candidate) => candidate.storage === true);
  return version && textAt(version, 'name');
}

function defaultCrd(draft: MutableJson): void {
  const spec = ensureObject(draft, 'spec');
  const names = ensureObject(spec, 'names');
  const kind = textAt(names, 'kind');
  if (kind !== '') {
    fillZero(names, 'singular', kind.toLowerCase());
    fillZero(names, 'listKind', `${kind}List`);
  }
  fillZero(ensureObject(spec, 'conversion'), 'strategy', 'None');
  const webhook = objectAt(objectAt(objectAt(spec, 'conversion'), 'webhook'), 'clientConfig');
  const service = objectAt(webhook, 'service');
  if (service) fill(service, 'port', 443);
  if (spec.preserveUnknownFields === false) delete spec.preserveUnknownFields;
}

/** A version that once stored objects is remembered until someone removes it from the status. */
function rememberStorageVersion(draft: MutableJson): void {
  const version = storageVersionOf(ensureObject(draft, 'spec'));
  const status = ensureObject(draft, 'status');
  const stored = listAt(status, 'storedVersions');
  if (version !== undefined && !stored.includes(version)) status.storedVersions = [...stored, version];
}

/** The rules of CustomResourceDefinitions themselves. */
export const crdStrategy: Strategy = {
  default: defaultCrd,
  prepareCreate(draft) {
    draft.status = { acceptedNames: { kind: '', plural: '' }, conditions: null };
    rememberStorageVersion(draft);
  },
  prepareUpdate(draft, _old, { subresource }) {
    if (subresource === '') rememberStorageVersion(draft);
  },
  beginDelete: (draft, { clock }) => beginCleanup(draft, formatTime(clock.now())),
  ...definitionRules,
  validate: validateCrd,
  validateUpdate: (object, old, { subresource }) => (subresource === '' ? validateCrdUpdate(object, old) : []),
};
