import { X509Certificate } from 'node:crypto';
import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { formatTime } from '@coxswain/runtime/core';
import { DerError, parseCertificateRequest, pemBlocks } from '@coxswain/runtime/pki';
import type { FieldError } from '@coxswain/schema';
import type { Strategy, StrategyContext } from '../../types.ts';
import {
  copyJson,
  ensureObject,
  given,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  type ReadJson,
  sameJson,
  textAt,
} from '../shared/draft.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { checkSignerName } from './signer-name.ts';

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

const legacySigner = 'kubernetes.io/legacy-unknown';
const conditionsField = 'status.conditions';
const finalTypes = ['Approved', 'Denied', 'Failed'];
const approvalTypes = ['Approved', 'Denied'];

const base64Bytes = (text: string): Buffer => Buffer.from(text, 'base64');

/** Why `spec.request` is no request that its own key signed. */
function requestError(request: string): string | undefined {
  const [block] = pemBlocks(base64Bytes(request).toString('latin1'));
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  try {
    return parseCertificateRequest(block.bytes).signatureError;
  } catch (error) {
    if (error instanceof DerError) return `asn1: ${error.message}`;
    throw error;
  }
}

function usageErrors(spec: ReadJson | undefined): readonly FieldError[] {
  const given = listAt(spec, 'usages');
  const errors: FieldError[] = given.length === 0 ? [required('spec.usages')] : [];
  given.forEach((usage, i) => {
    if (!usages.includes(String(usage))) errors.push(notSupported(`spec.usages[${i}]`, usage, usages));
  });
  given.forEach((usage, i) => {
    if (given.indexOf(usage) < i) errors.push(duplicate(`spec.usages[${i}]`, usage));
  });
  return errors;
}

function signerErrors(spec: ReadJson | undefined): readonly FieldError[] {
  const signer = textAt(spec, 'signerName');
  if (signer !== legacySigner) return checkSignerName(signer, 'spec.signerName');
  return [invalidValue('spec.signerName', signer, 'the legacy signerName is not allowed via this API version')];
}

function conditionErrors(conditions: readonly ReadJson[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  conditions.forEach((condition, i) => {
    const [type, status] = [textAt(condition, 'type'), textAt(condition, 'status')];
    const allowed = finalTypes.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (type === '') errors.push(required(`${conditionsField}[${i}].type`));
    if (status === '') errors.push(required(`${conditionsField}[${i}].status`));
    else if (!allowed.includes(status)) errors.push(notSupported(`${conditionsField}[${i}].status`, status, allowed));
    const opposite = type === 'Approved' ? 'Denied' : 'Approved';
    if (approvalTypes.includes(type) && seen.has(opposite)) {
      errors.push(invalidValue(conditionsField, type, 'Approved and Denied conditions are mutually exclusive'));
    }
    if (seen.has(type)) errors.push(duplicate(`${conditionsField}[${i}].type`, type));
    seen.add(type);
  });
  return errors;
}

function certificateError(certificate: string): string | undefined {
  if (certificate === '') return undefined;
  const blocks = pemBlocks(base64Bytes(certificate).toString('latin1'));
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (hasHeaders) return 'no PEM block headers are permitted';
    try {
      new X509Certificate(bytes);
    } catch {
      return 'x509: malformed certificate';
    }
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

const conditionsOf = (object: ReadJson) => objectsAt(objectAt(object, 'status'), 'conditions');
const ofType = (object: ReadJson, type: string) => conditionsOf(object).filter((one) => textAt(one, 'type') === type);
const certificateOf = (object: ReadJson) => textAt(objectAt(object, 'status'), 'certificate');

/** What a write may do to the conditions and the certificate depends on its path. */
function transitionErrors(object: ReadJson, old: ReadJson, subresource: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const forbid = (field: string, text: string) => errors.push(forbiddenField(field, text));
  for (const type of finalTypes) {
    const lost = ofType(object, type).length < ofType(old, type).length;
    if (lost) forbid(conditionsField, `updates may not remove a condition of type "${type}"`);
  }
  for (const type of subresource === 'approval' ? [] : approvalTypes) {
    const [now, before] = [ofType(object, type), ofType(old, type)];
    if (now.length > before.length) forbid(conditionsField, `updates may not add a condition of type "${type}"`);
    else if (now.length === before.length && !sameJson(now, before))
      forbid(conditionsField, `updates may not modify a condition of type "${type}"`);
  }
  if (certificateOf(object) === certificateOf(old)) return errors;
  if (subresource !== 'status') forbid('status.certificate', 'updates may not set certificate content');
  else if (certificateOf(old) !== '')
    forbid('status.certificate', 'updates may not modify existing certificate content');
  return errors;
}

/** Times that conditions came without. A condition whose status stays keeps the time of its last change. */
function fillTimes(draft: MutableJson, old: ReadJson, context: StrategyContext): void {
  const now = formatTime(context.clock.now());
  for (const condition of conditionsOf(draft)) {
    if (!given(condition.lastUpdateTime)) condition.lastUpdateTime = now;
    if (given(condition.lastTransitionTime)) continue;
    const before = ofType(old, textAt(condition, 'type')).find(
      (one) => one.status === condition.status && given(one.lastTransitionTime),
    );
    condition.lastTransitionTime = before?.lastTransitionTime ?? now;
  }
}

/** Approvals and denials are written at their own path only: at `/status` those that are there stay as they are. */
function keepApprovals(draft: MutableJson, old: ReadJson): void {
  const status = objectAt(draft, 'status');
  if (!status) return;
  for (const type of approvalTypes) {
    const before = ofType(old, type);
    if (ofType(draft, type).length !== before.length) continue;
    let next = 0;
    status.conditions = listAt(status, 'conditions').map((one) => {
      const own = typeof one === 'object' && one !== null && textAt(one as ReadJson, 'type') === type;
      return own ? copyJson(before[next++] ?? one) : one;
    });
  }
}

function certificateErrors(object: ReadJson): readonly FieldError[] {
  const text = certificateError(certificateOf(object));
  return text === undefined ? [] : [invalidValue('status.certificate', '<certificate data>', text)];
}

/** What `/status` may write. */
export function signingRequestStatus(object: DynamicObject, old: DynamicObject): readonly FieldError[] {
  const changed = certificateOf(object) !== certificateOf(old);
  return [
    ...conditionErrors(conditionsOf(object)),
    ...(changed ? certificateErrors(object) : []),
    ...transitionErrors(object, old, 'status'),
  ];
}

/** Who asks is what the server knows of them, and the rest of the request never changes. */
function stampRequester(draft: MutableJson, { user }: StrategyContext): void {
  const spec = ensureObject(draft, 'spec');
  for (const key of ['username', 'uid', 'groups', 'extra']) delete spec[key];
  spec.username = user.name;
  if (user.uid) spec.uid = user.uid;
  if (user.groups.length > 0) spec.groups = [...user.groups];
  if (user.extra && Object.keys(user.extra).length > 0) spec.extra = copyJson(user.extra);
  draft.status = {};
}

export const signingRequestStrategy: Strategy = {
  validateName: () => [],
  resets: { '': ['spec', 'status'], status: ['spec', 'status.conditions'], approval: ['spec', 'status.certificate'] },
  prepareCreate: stampRequester,
  prepareUpdate(draft, old, context) {
    if (context.subresource === '') draft.spec = copyJson(old.spec);
    if (context.subresource === 'status') keepApprovals(draft, old);
    if (context.subresource !== '') fillTimes(draft, old, context);
  },
  validate(object) {
    const spec = objectAt(object, 'spec');
    const request = textAt(spec, 'request');
    const text = requestError(request);
    const errors: FieldError[] = text === undefined ? [] : [invalidValue('spec.request', request, text)];
    errors.push(...usageErrors(spec), ...signerErrors(spec));
    const seconds = numberAt(spec, 'expirationSeconds');
    if (seconds !== undefined && seconds < 600) {
      const tooShort = 'may not specify a duration less than 600 seconds (10 minutes)';
      errors.push(invalidValue('spec.expirationSeconds', seconds, tooShort));
    }
    return [...errors, ...conditionErrors(conditionsOf(object))];
  },
  validateUpdate: (object, old, context) => transitionErrors(object, old, context.subresource),
};
