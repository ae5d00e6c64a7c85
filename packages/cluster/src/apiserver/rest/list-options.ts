import type { DynamicObject } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import { booleanParameter, integerParameter, invalidOptions } from '../request/query.ts';
import { fieldMatcher } from '../select/fields.ts';
import { labelMatcher } from '../select/labels.ts';
import type { Call } from './context.ts';
import { fieldForbidden } from './field-errors.ts';

/** Which objects of a collection a request is about. */
export interface Selection {
  /** `undefined`: all namespaces. */
  readonly namespace: string | undefined;
  /** The only name that can match, if known. */
  readonly name: string | undefined;
  /** `undefined`: every object. */
  readonly matches: ((object: DynamicObject) => boolean) | undefined;
}

/** Reads the selectors of a request. @throws ApiError BadRequest */
export function selectionOf(call: Call): Selection {
  const labels = labelMatcher(call.query.labelSelector);
  const fields = fieldMatcher(call.resource, call.query.fieldSelector);
  const namespace = call.namespace || fields?.namespace || undefined;
  // A watch of one object by its path is a watch of the collection, narrowed to the name.
  const name = call.name || fields?.name;
  const matches =
    labels || fields || call.name
      ? (object: DynamicObject) =>
          (call.name === '' || object.metadata.name === call.name) &&
          (!fields || fields.matches(object)) &&
          (!labels || labels(object.metadata.labels))
      : undefined;
  return { namespace: call.resource.namespaced ? namespace : undefined, name, matches };
}

export interface ListOptions {
  readonly limit: number;
  readonly continue: string | undefined;
  readonly match: 'Exact' | 'NotOlderThan' | undefined;
}

function unsupportedMatch(match: string, allowed: readonly string[]): FieldError {
  const list = allowed.map((value) => JSON.stringify(value)).join(', ');
  const message = `Unsupported value: ${JSON.stringify(match)}: supported values: ${list}`;
  return { field: 'resourceVersionMatch', reason: 'FieldValueNotSupported', message };
}

/** @throws ApiError Invalid for combinations the list matrix does not have */
export function listOptions(call: Call): ListOptions {
  const { query } = call;
  const match = query.resourceVersionMatch ?? '';
  const field = 'resourceVersionMatch';
  const errors: FieldError[] = [];
  if (match !== '') {
    if (!query.resourceVersion) {
      errors.push(fieldForbidden(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (query.continue) {
      errors.push(fieldForbidden(field, 'resourceVersionMatch is forbidden when continue is provided'));
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(unsupportedMatch(match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && query.resourceVersion === '0') {
      errors.push(fieldForbidden(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (booleanParameter(query, 'sendInitialEvents') !== undefined) {
    errors.push(fieldForbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  if (errors.length > 0) invalidOptions('ListOptions', errors);
  // Means nothing to a list, but is read all the same.
  integerParameter(query, 'timeoutSeconds');
  return {
    limit: Math.max(0, integerParameter(query, 'limit') ?? 0),
    continue: query.continue || undefined,
    match: match === 'Exact' || match === 'NotOlderThan' ? match : undefined,
  };
}

export interface WatchOptions {
  readonly bookmarks: boolean;
  readonly initialEvents: boolean | undefined;
  readonly timeoutSeconds: number | undefined;
}

/** @throws ApiError Invalid */
export function watchOptions(call: Call): WatchOptions {
  const { query } = call;
  const match = query.resourceVersionMatch ?? '';
  const initialEvents = booleanParameter(query, 'sendInitialEvents');
  const field = 'resourceVersionMatch';
  const errors: FieldError[] = [];
  if (initialEvents !== undefined) {
    if (match !== 'NotOlderThan') {
      errors.push(fieldForbidden(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
    }
  } else if (match !== '') {
    errors.push(
      fieldForbidden(field, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    );
  }
  if (match !== '') {
    if (match !== 'NotOlderThan') errors.push(unsupportedMatch(match, ['NotOlderThan']));
  }
  if (query.continue) {
    errors.push(fieldForbidden(field, 'resourceVersionMatch is forbidden when continue is provided'));
  }
  if (errors.length > 0) invalidOptions('ListOptions', errors);
  const timeoutSeconds = integerParameter(query, 'timeoutSeconds');
  return { bookmarks: booleanParameter(query, 'allowWatchBookmarks') ?? false, initialEvents, timeoutSeconds };
}
