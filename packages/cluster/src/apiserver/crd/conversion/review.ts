import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { isObject, listAt, objectAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';

/** `group/version, Kind=kind` of an object. */
export function kindText(object: ReadJson | DynamicObject): string {
  const { apiVersion, kind } = object as ReadJson;
  return `${versionText(apiVersion)}, Kind=${typeof kind === 'string' ? kind : ''}`;
}

/** A version as Go prints it: that of the core group starts with a slash. */
function versionText(apiVersion: unknown): string {
  if (typeof apiVersion !== 'string') return '/';
  return apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
}

/**
 * The objects in the answer to a review.
 * @throws Error that says what is wrong with it, or what the webhook says was
 */
export function readReview(review: MutableJson, answer: unknown): readonly unknown[] {
  const given = isObject(answer) ? answer : {};
  const { response } = given;
  // The older version was never checked for whether it answers this review.
  const old = textAt(review, 'apiVersion').endsWith('/v1beta1');
  const { kind } = given;
  if (kind !== undefined && kind !== review.kind) {
    const what = `no kind "${String(kind)}" is registered for version "${textAt(given, 'apiVersion')}"`;
    throw new Error(`${what} in scheme "pkg/runtime/scheme.go:111"`);
  }
  if (!old && kindText(given) !== kindText(review)) {
    throw new Error(`expected webhook response of ${kindText(review)}, got ${kindText(given)}`);
  }
  if (!isObject(response)) throw new Error('no response provided');
  const wanted = textAt(objectAt(review, 'request'), 'uid');
  const uid = textAt(response, 'uid');
  if (!old && uid !== wanted) throw new Error(`expected response.uid="${wanted}", got "${uid}"`);
  const result = objectAt(response, 'result');
  const status = textAt(result, 'status');
  if (status !== 'Success') {
    throw new Error(textAt(result, 'message') || `response.result.status was '${status}', not 'Success'`);
  }
  return listAt(response, 'convertedObjects');
}
