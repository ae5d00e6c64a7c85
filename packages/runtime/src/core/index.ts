/**
 * What every room stands on: keys, errors, clocks, chance, logs, selectors, quantities, times, JSON values.
 * Knows nothing of clients, servers or controllers, and does no I/O.
 */

export { abortable, linkedController, TimeoutError, withTimeout } from './abort.ts';
export { asSeen } from './as-seen.ts';
export { checkFunction } from './check-function.ts';
export { checkKind } from './check-kind.ts';
export { checkNumber, checkPort, milliseconds, type NumberBounds, someMilliseconds } from './check-number.ts';
export { type Clock, sleep, systemClock, type Timer } from './clock.ts';
export { cloneJson } from './clone.ts';
export { deniedVerb } from './denied-verb.ts';
export { formatDuration, parseDuration } from './duration.ts';
export { editDistance } from './edit-distance.ts';
export { deepEqual } from './equal.ts';
export {
  ApiError,
  alreadyExists,
  apiError,
  badRequest,
  conflict,
  expired,
  forbidden,
  invalid,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isTooManyRequests,
  notFound,
  type ResourceRef,
} from './errors.ts';
export {
  type FieldSelector,
  type FieldTerm,
  fieldSelectorFrom,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
} from './field-selector.ts';
export { type Fields, isFields } from './fields.ts';
export { deepFreeze } from './freeze.ts';
export { ignoreNotFound } from './ignore-not-found.ts';
export { type JsonLoggerOptions, jsonLogger, type LogLevel } from './json-logger.ts';
export { keyOf, keyString, type ObjectKey, parseKey } from './key.ts';
export { checkOptions, optionNames } from './known-options.ts';
export { labelValueErrors, qualifiedNameErrors } from './label-syntax.ts';
export { listKeysOf, sameElement } from './list-keys.ts';
export { type Logger, silentLogger } from './logger.ts';
export { type Mask, maskSecrets } from './mask.ts';
export { messageOf } from './message-of.ts';
export { parseSelector } from './parse-selector.ts';
export {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  type QuantityFormat,
  quantityMilliValue,
  quantityOf,
  quantityValue,
  sameQuantity,
  scaleQuantity,
  subtractQuantities,
} from './quantity.ts';
export { type Random, randomSuffix, randomUuid, seededRandom, systemRandom } from './random.ts';
export { Repeats } from './repeats.ts';
export {
  everything,
  formatSelector,
  type LabelPairs,
  type LabelSelectorLike,
  matchesLabels,
  nothing,
  type Requirement,
  requirement,
  type Selector,
  SelectorError,
  selectorFromField,
  selectorFromLabels,
} from './selector.ts';
export { formatMicroTime, formatTime, parseTime } from './time.ts';
export { VirtualClock } from './virtual-clock.ts';
export { yieldToEventLoop } from './yield-to-event-loop.ts';
