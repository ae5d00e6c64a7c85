import { type KubeObject, parseApiVersion, type Status } from '@coxswain/k8s';
import { apiError, badRequest, type Clock, cloneJson, isFields, type Logger, messageOf } from '../core/index.ts';

/** A kind whose objects can be brought from any of its versions to any other. A resource with versions is one. */
export interface Convertible {
  readonly group: string;
  readonly kind: string;
  /**
   * The object as it is in another version. `metadata` may come back as it was; of it only labels and annotations are taken,
   * as the API server allows no other change. @throws Error when it cannot be brought there
   */
  convert(object: KubeObject, toApiVersion: string): KubeObject;
}

/** What conversions work with. */
export interface ConversionParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** Counts a conversion that failed. */
  readonly failed: () => void;
}

interface ConversionReview {
  readonly apiVersion: string;
  readonly uid: string;
  readonly desired: string;
  readonly objects: readonly KubeObject[];
}

/** Answers a ConversionReview with one: all objects, in their order, or a failure. @throws ApiError 400: it is no review */
export async function convertReview(
  kinds: readonly Convertible[],
  body: unknown,
  parts: ConversionParts,
  signal: AbortSignal,
): Promise<unknown> {
  const { apiVersion, uid, desired, objects } = readReview(body);
  const convertedObjects: KubeObject[] = [];
  let result: Partial<Status> = { status: 'Success' };
  for (const object of objects) {
    await parts.clock.turn();
    signal.throwIfAborted();
    try {
      convertedObjects.push(converted(kinds, object, desired));
    } catch (error) {
      parts.failed();
      parts.log.error({ object: nameOf(object), desired, requestID: uid, err: error }, 'a conversion failed');
      const why = messageOf(error);
      result = apiError(500, 'InternalError', `cannot convert ${nameOf(object)} to ${desired}: ${why}`).status;
      convertedObjects.length = 0;
      break;
    }
  }
  return { apiVersion, kind: 'ConversionReview', response: { uid, convertedObjects, result } };
}

function converted(kinds: readonly Convertible[], object: KubeObject, desired: string): KubeObject {
  const { apiVersion = '', kind = '', metadata } = object;
  if (apiVersion === desired) return object;
  const { group } = parseApiVersion(desired);
  const convertible = kinds.find((one) => one.kind === kind && one.group === group);
  if (!convertible || parseApiVersion(apiVersion).group !== group) throw new Error('no conversion is known for it');
  const kept = cloneJson(metadata);
  const made = convertible.convert(object, desired);
  if (!isFields(made)) throw new Error('the conversion gave no object');
  return { ...made, apiVersion: desired, kind, metadata: mergedMetadata(kept, made.metadata) };
}

function mergedMetadata(
  kept: KubeObject['metadata'],
  made: KubeObject['metadata'] | undefined,
): KubeObject['metadata'] {
  if (!isFields(made)) return kept;
  const { labels: _labels, annotations: _annotations, ...rest } = kept;
  const { labels, annotations } = made;
  return { ...rest, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
}

function nameOf({ apiVersion, kind, metadata: { namespace, name } }: KubeObject): string {
  return `${kind} ${namespace ? `${namespace}/` : ''}${name} of ${apiVersion}`;
}

function readReview(body: unknown): ConversionReview {
  const review = isFields(body) ? body : {};
  const { apiVersion, kind, request } = review;
  const known = apiVersion === 'apiextensions.k8s.io/v1' || apiVersion === 'apiextensions.k8s.io/v1beta1';
  if (kind !== 'ConversionReview' || !known) {
    throw badRequest('the body must be a ConversionReview of apiextensions.k8s.io/v1');
  }
  if (!isFields(request)) throw badRequest('the ConversionReview has no request');
  const { uid, desiredAPIVersion, objects = [] } = request;
  if (typeof uid !== 'string' || uid === '') throw badRequest('the request of the ConversionReview has no uid');
  if (typeof desiredAPIVersion !== 'string') throw badRequest('the ConversionReview has no desiredAPIVersion');
  if (!Array.isArray(objects) || !objects.every((object) => isFields(object) && isFields(object['metadata']))) {
    throw badRequest('the ConversionReview has something among its objects that is none');
  }
  return { apiVersion, uid, desired: desiredAPIVersion, objects };
}
