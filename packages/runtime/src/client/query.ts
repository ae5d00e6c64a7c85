import { fieldSelectorFrom, formatFieldSelector, formatSelector, selectorFromLabels } from '../core/index.ts';
import type { DeleteOptions, ListOptions, PatchOptions, WatchOptions, WriteOptions } from './types.ts';

type Query = Record<string, string>;

/** Objects a page of a list has when nothing is said. */
export const defaultPageSize = 500;

/** A label selector as text, from either form. @throws SelectorError */
export function labelSelectorText(labels: ListOptions['labels']): string {
  return typeof labels === 'string' ? labels : labels ? formatSelector(selectorFromLabels(labels)) : '';
}

/** A field selector as text, from either form. */
export function fieldSelectorText(fields: ListOptions['fields']): string {
  return typeof fields === 'string' ? fields : fields ? formatFieldSelector(fieldSelectorFrom(fields)) : '';
}

function selection(options: Pick<ListOptions, 'labels' | 'fields'>): Query {
  const labels = labelSelectorText(options.labels);
  const fields = fieldSelectorText(options.fields);
  return { ...(labels ? { labelSelector: labels } : {}), ...(fields ? { fieldSelector: fields } : {}) };
}

function version(options: Pick<ListOptions, 'resourceVersion' | 'resourceVersionMatch'>): Query {
  const { resourceVersion, resourceVersionMatch } = options;
  return {
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(resourceVersionMatch ? { resourceVersionMatch } : {}),
  };
}

/** Query of a list that is to come as one. */
export function wholeListQuery(options: ListOptions): Query {
  return { ...selection(options), ...version(options) };
}

export function listQuery(options: ListOptions): Query {
  const query: Query = { ...wholeListQuery(options), limit: String(options.limit ?? defaultPageSize) };
  if (options.continue) query.continue = options.continue;
  return query;
}

export function watchQuery(options: WatchOptions): Query {
  const query: Query = { ...selection(options), ...version(options), watch: 'true' };
  if (options.timeoutSeconds !== undefined) query.timeoutSeconds = String(options.timeoutSeconds);
  if (options.allowBookmarks) query.allowWatchBookmarks = 'true';
  if (options.sendInitialEvents !== undefined) {
    query.sendInitialEvents = String(options.sendInitialEvents);
    query.resourceVersionMatch ??= 'NotOlderThan';
  }
  return query;
}

/** @param fieldManager the client's own, used when the options name none */
export function writeQuery(
  options: WriteOptions & Pick<PatchOptions, 'force'>,
  fieldManager: string | undefined,
): Query {
  const query: Query = {};
  const manager = options.fieldManager ?? fieldManager;
  if (manager) query.fieldManager = manager;
  if (options.dryRun) query.dryRun = 'All';
  if (options.fieldValidation) query.fieldValidation = options.fieldValidation;
  if (options.force !== undefined) query.force = String(options.force);
  return query;
}

/** `v1.DeleteOptions`. */
export function deleteBody(options: DeleteOptions): Record<string, unknown> {
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(options.propagation ? { propagationPolicy: options.propagation } : {}),
    ...(options.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: options.gracePeriodSeconds }),
    ...(options.preconditions ? { preconditions: options.preconditions } : {}),
    ...(options.dryRun ? { dryRun: ['All'] } : {}),
  };
}
