import { isObject, listAt, mapAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import type { Review } from './review.ts';

/** What a webhook decided. */
export interface Reply {
  readonly allowed: boolean;
  readonly result: unknown;
  readonly warnings: readonly string[];
  /** For those who audit. */
  readonly annotations: readonly (readonly [key: string, text: string])[];
  /** Text of a JSON patch; `''` when there is none. */
  readonly patch: string;
  readonly patchType: string;
}

function typeText(reply: ReadJson): string {
  const [group = '', version] = textAt(reply, 'apiVersion').split('/');
  return version === undefined
    ? `/${group}, Kind=${textAt(reply, 'kind')}`
    : `${group}/${version}, Kind=${textAt(reply, 'kind')}`;
}

function checkPatch(mutating: boolean, patch: string, patchType: unknown): void {
  if (mutating) {
    if (patch !== '' && patchType === undefined) {
      throw new Error('webhook returned response.patch but not response.patchType');
    }
    if (patch === '' && patchType !== undefined) {
      throw new Error('webhook returned response.patchType but not response.patch');
    }
    if (patchType === '') throw new Error('webhook returned invalid response.patchType of ""');
    return;
  }
  if (patch !== '') throw new Error('validating webhook may not return response.patch');
  if (patchType !== undefined) throw new Error('validating webhook may not return response.patchType');
}

/** The reply is of a version that the request was not. */
export class OtherVersion extends Error {
  constructor() {
    super('converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion');
    this.name = 'OtherVersion';
  }
}

/**
 * Reads the answer to a review.
 * @throws Error that says what is wrong with it
 */
export function readReply({ uid, body }: Review, answer: unknown, mutating: boolean): Reply {
  const reply = isObject(answer) ? answer : {};
  const old = body.apiVersion === 'admission.k8s.io/v1beta1';
  if (!old && reply.apiVersion === 'admission.k8s.io/v1beta1') throw new OtherVersion();
  const { response } = reply;
  if (!isObject(response)) throw new Error('webhook response was absent');
  const patch = Buffer.from(textAt(response, 'patch'), 'base64').toString();
  const patchType = response.patchType ?? (old && patch !== '' ? 'JSONPatch' : undefined);
  if (!old) {
    const given = textAt(response, 'uid');
    if (given !== uid) throw new Error(`expected response.uid="${uid}", got "${given}"`);
    const [wanted, actual] = [typeText(body), typeText(reply)];
    if (wanted !== actual) throw new Error(`expected webhook response of ${wanted}, got ${actual}`);
    checkPatch(mutating, patch, patchType);
  }
  return {
    allowed: response.allowed === true,
    result: response.status,
    warnings: listAt(response, 'warnings').filter((text) => typeof text === 'string'),
    annotations: Object.entries(mapAt(response, 'auditAnnotations')),
    patch: mutating ? patch : '',
    patchType: typeof patchType === 'string' ? patchType : '',
  };
}
