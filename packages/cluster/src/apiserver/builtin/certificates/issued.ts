import { X509Certificate } from 'node:crypto';
import type { DynamicObject } from '@coxswain/k8s';
import { pemBlocks } from '@coxswain/runtime/pki';
import type { FieldError } from '@coxswain/schema';
import type { StrategyContext } from '../../types.ts';
import { checkConditions } from '../shared/conditions.ts';
import { given, numberAt, objectAt, objectsAt, type ReadJson, sameJson, textAt } from '../shared/draft.ts';
import { invalidValue, notSupported, required, tooLong } from '../shared/errors.ts';
import { keyId, requestedKey } from './pod-certificate-request.ts';

const minute = 60_000;
const largestChain = 100 * 1024;
const chainField = 'status.certificateChain';
const outcomes = ['Issued', 'Denied', 'Failed'];

const statusOf = (object: ReadJson) => objectAt(object, 'status');
const unshown = (field: string, detail: string): FieldError => ({
  field,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${detail}`,
});

/** The outcome that a request has come to. */
function outcomeOf(object: ReadJson): string | undefined {
  const final = objectsAt(statusOf(object), 'conditions').find(
    (one) => outcomes.includes(textAt(one, 'type')) && one.status === 'True',
  );
  return final && textAt(final, 'type');
}

function outcomeErrors(conditions: readonly ReadJson[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  let known = 0;
  conditions.forEach((condition, i) => {
    const field = `status.conditions.[${i}]`;
    const type = textAt(condition, 'type');
    if (!outcomes.includes(type)) {
      errors.push(notSupported(`${field}.type`, type, outcomes));
      return;
    }
    const text = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';
    if (++known > 1) errors.push(invalidValue(`${field}.type`, type, text));
    if (condition.status !== 'True') errors.push(notSupported(`${field}.status`, condition.status, ['True']));
  });
  return errors;
}

function parse(bytes: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes);
  } catch {
    return undefined;
  }
}

function requiredTimes(status: ReadJson | undefined): readonly FieldError[] {
  const consistent = 'must be present and consistent with the issued certificate';
  const texts = {
    notBefore: consistent,
    notAfter: consistent,
    beginRefreshAt: 'must be present and in the range [notbefore+10min, notafter-10min]',
  };
  return Object.entries(texts)
    .filter(([key]) => !given(status?.[key]))
    .map(([key, text]) => required(`status.${key}`, text));
}

/** The first of the times that does not fit the certificate. */
function timeError(status: ReadJson | undefined, leaf: X509Certificate, longest: number, now: number) {
  const at = (key: string) => Date.parse(textAt(status, key));
  const [from, to] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
  const wrong = (key: string, text: string) => invalidValue(`status.${key}`, textAt(status, key), text);
  if (at('notBefore') !== from)
    return wrong('notBefore', 'must be set to the NotBefore time encoded in the leaf certificate');
  if (Math.abs(from - now) >= 5 * minute)
    return wrong('notBefore', "must be set to within 5 minutes of kube-apiserver's current time");
  if (at('notAfter') !== to)
    return wrong('notAfter', 'must be set to the NotAfter time encoded in the leaf certificate');
  if (to - from < 60 * minute)
    return invalidValue(chainField, to - from, 'leaf certificate lifetime must be >= 1 hour');
  if (to - from > longest * 1000) {
    const text = `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${longest})`;
    return invalidValue(chainField, to - from, text);
  }
  if (at('beginRefreshAt') < from + 10 * minute)
    return wrong('beginRefreshAt', 'must be at least 10 minutes after status.notBefore');
  if (at('beginRefreshAt') > to - 10 * minute)
    return wrong('beginRefreshAt', 'must be at least 10 minutes before status.notAfter');
  return undefined;
}

function chainErrors(object: DynamicObject, old: DynamicObject, now: number): readonly FieldError[] {
  const status = statusOf(object);
  const chain = textAt(status, 'certificateChain');
  const wrong = (text: string) => [invalidValue(chainField, chain, text)];
  if (chain.length > largestChain) return [tooLong(chainField, largestChain)];
  const [first, ...others] = pemBlocks(chain);
  if (!first) return wrong('issued certificate chain must contain at least one certificate');
  if (first.type !== 'CERTIFICATE')
    return wrong('issued certificate chain must consist entirely of CERTIFICATE PEM blocks');
  const leaf = parse(first.bytes);
  if (!leaf) return wrong('leaf certificate does not parse as valid X.509');
  const spec = objectAt(old, 'spec');
  const key = requestedKey(spec);
  if (!key || keyId(key) !== keyId(leaf.publicKey))
    return wrong('leaf certificate was not issued to the requested public key');
  const missing = requiredTimes(status);
  if (missing.length > 0) return missing;
  const time = timeError(status, leaf, numberAt(spec, 'maxExpirationSeconds') ?? 0, now);
  if (time) return [time];
  for (const { type, bytes } of others) {
    if (type !== 'CERTIFICATE') return wrong('issued certificate chain must consist entirely of CERTFICATE PEM blocks');
    if (!parse(bytes)) return wrong('intermediate certificate does not parse as valid X.509');
  }
  return [];
}

/** A request comes to one outcome, once, and with it to the fields that belong to it. */
export function podCertificateStatus(
  object: DynamicObject,
  old: DynamicObject,
  { clock }: StrategyContext,
): readonly FieldError[] {
  const conditions = objectsAt(statusOf(object), 'conditions');
  const errors = [...outcomeErrors(conditions), ...checkConditions(conditions, 'status.conditions')];
  if (errors.length > 0) return errors;
  const same = sameJson(statusOf(object) ?? {}, statusOf(old) ?? {});
  if (outcomeOf(old) !== undefined) {
    return same ? [] : [unshown('status', 'immutable after PodCertificateRequest is issued, denied, or failed')];
  }
  const outcome = outcomeOf(object);
  if (outcome === 'Denied' || outcome === 'Failed') {
    const { conditions: _, ...rest } = statusOf(object) ?? {};
    const text = 'non-condition status fields must be empty when denying or failing the PodCertificateRequest';
    return Object.keys(rest).length === 0 ? [] : [unshown('status', text)];
  }
  if (outcome === 'Issued') return chainErrors(object, old, clock.now());
  return same ? [] : [unshown('status', 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"')];
}
