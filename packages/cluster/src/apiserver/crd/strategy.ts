import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { formatTime } from '@coxswain/runtime/core';
import { ensureObject, fill, fillZero, listAt, objectAt, objectsAt, textAt } from '../builtin/shared/draft.ts';
import type { Strategy, StrategyContext } from '../types.ts';
import { beginCleanup } from './cleanup.ts';
import { definitionRules } from './definition-rules.ts';
import { definitionWarnings } from './definition-warnings.ts';
import { validateCrd, validateCrdUpdate, validateStatus } from './validate.ts';

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
  if (spec.conversion === undefined) spec.conversion = { strategy: 'None' };
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

/** Warns of what a definition says newly that does not do what one might expect. */
function warnOf(object: DynamicObject, old: DynamicObject | undefined, { warn }: StrategyContext): void {
  const known = definitionWarnings(old);
  for (const text of definitionWarnings(object)) if (!known.has(text)) warn(text);
}

/** The rules of CustomResourceDefinitions themselves. */
export const crdStrategy: Strategy = {
  default: defaultCrd,
  prepareCreate(draft) {
    draft.status = { acceptedNames: { kind: '', plural: '' }, conditions: null };
    rememberStorageVersion(draft);
  },
  prepareUpdate(draft, _old, { subresource }) {
    const forgotten = listAt(objectAt(draft, 'status'), 'storedVersions').length === 0;
    if (subresource === '' || forgotten) rememberStorageVersion(draft);
  },
  beginDelete: (draft, { clock }) => beginCleanup(draft, formatTime(clock.now())),
  ...definitionRules,
  validate(object, context) {
    if (context.subresource !== '') return validateStatus(object);
    if (object.metadata.resourceVersion === undefined) warnOf(object, undefined, context);
    return validateCrd(object);
  },
  validateUpdate(object, old, context) {
    if (context.subresource !== '') return [];
    warnOf(object, old, context);
    return validateCrdUpdate(object, old);
  },
};
