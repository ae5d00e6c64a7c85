export { type Clock, sleep, systemClock, type Timer } from './clock.ts';
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
export { keyOf, keyString, type ObjectKey, parseKey } from './key.ts';
export { type Logger, silentLogger } from './logger.ts';
export { type Random, randomSuffix, randomUuid, seededRandom, systemRandom } from './random.ts';
export { VirtualClock } from './virtual-clock.ts';
