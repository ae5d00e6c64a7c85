import {
  badRequest,
  formatSelector,
  type LabelSelectorLike,
  matchesLabels,
  parseSelector,
  SelectorError,
  selectorFromField,
  selectorFromLabels,
} from '@coxswain/runtime/core';

type Labels = Readonly<Record<string, string>>;

/** Decides whether an object's labels satisfy a selector. */
export type LabelMatcher = (labels: Labels | undefined) => boolean;

/** Turns a selector that cannot be read into the answer a client gets. */
export function readSelector<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof SelectorError ? badRequest(error.message) : error;
  }
}

/**
 * The `labelSelector` of a request; `undefined` for an empty one, which selects everything.
 * @throws ApiError BadRequest
 */
export function labelMatcher(text: string | undefined): LabelMatcher | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const selector = readSelector(() => parseSelector(text));
  return (labels) => matchesLabels(selector, labels);
}

/** The text form of a selector as objects carry it: text, a LabelSelector, or plain pairs (ReplicationController). */
export function selectorText(field: unknown): string {
  if (typeof field === 'string') return field;
  if (typeof field !== 'object' || field === null) return '';
  const structured = 'matchLabels' in field || 'matchExpressions' in field;
  return readSelector(() =>
    formatSelector(structured ? selectorFromField(field as LabelSelectorLike) : selectorFromLabels(field as Labels)),
  );
}
