import type { DynamicObject, ManagedFieldsEntry, MutableJson } from '@coxswain/k8s';
import { badRequest, conflict, formatTime, invalid, notFound } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import type { Storage } from '../../storage/types.ts';
import { isObject, listAt, numberAt, objectAt, textAt } from '../builtin/shared/draft.ts';
import { invalidValue, notSupported } from '../builtin/shared/errors.ts';
import { dnsSubdomain } from '../builtin/shared/names.ts';
import type { ApiRequest, SubresourceHandler, SubresourceRequest } from '../types.ts';
import { issuer, type ObjectRef, type ServiceAccountTokens, type TokenSubject } from './service-account-tokens.ts';

const kind = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
const hour = 3600;
const minimum = 600;
/** What nodes ask for, for their pods. Programs that never read such a token again may use it for a year. */
const renewedHourly = hour + 7;
const year = 365 * 24 * hour;

const refuse = (name: string, errors: readonly FieldError[]): never => {
  throw invalid(kind.group, kind.kind, name, errors);
};

function checkName(body: MutableJson, name: string, namespace: string): void {
  const metadata = objectAt(body, 'metadata');
  const [givenName, givenNamespace] = [textAt(metadata, 'name'), textAt(metadata, 'namespace')];
  if (givenName !== '' && givenName !== name) {
    refuse(name, [invalidValue('metadata.name', givenName, 'must match the service account name if specified')]);
  }
  if (givenNamespace !== '' && givenNamespace !== namespace) {
    const text = 'must match the service account namespace if specified';
    refuse(name, [invalidValue('metadata.namespace', givenNamespace, text)]);
  }
}

function checkUid(body: MutableJson, name: string, account: DynamicObject): void {
  const uid = textAt(objectAt(body, 'metadata'), 'uid');
  const own = account.metadata.uid ?? '';
  if (uid === '' || uid === own) return;
  const text = `the UID in the token request (${uid}) does not match the UID of the service account (${own})`;
  throw conflict({ group: kind.group, plural: kind.kind }, name, text);
}

function secondsErrors(seconds: number): FieldError[] {
  const field = 'spec.expirationSeconds';
  if (seconds < minimum) return [invalidValue(field, seconds, 'may not specify a duration less than 10 minutes')];
  if (seconds <= 2 ** 32) return [];
  return [invalidValue(field, seconds, 'may not specify a duration larger than 2^32 seconds')];
}

const webhooks = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];
const attestationKey = 'admissionReviewAPIGroups';

function groupErrors(value: unknown, field: string): FieldError[] {
  if (value === '*') return [];
  if (value === '') return [invalidValue(field, value, 'may not be an empty string')];
  const faults = typeof value === 'string' ? dnsSubdomain(value) : [];
  return faults.map((fault) => invalidValue(field, value, `must specify a valid API Group: ${fault}`));
}

/** What a token for a webhook attests: for which one API group it is asked. */
function attestationErrors(attestations: MutableJson | undefined): FieldError[] {
  const field = 'spec.attestations';
  const entries = Object.entries(attestations ?? {});
  if (entries.length !== 1) {
    const text = 'webhook bound requests require exactly one admissionReviewAPIGroups attestation';
    return [invalidValue(field, attestations, text)];
  }
  return entries.flatMap(([key, values]) => {
    const at = `${field}[${key}]`;
    if (key !== attestationKey) return [notSupported(at, key, [attestationKey])];
    const [first, ...more] = Array.isArray(values) ? values : [];
    if (first === undefined || more.length > 0) return [invalidValue(at, values, 'must specify a single value')];
    return groupErrors(first, `${at}[0]`);
  });
}

function specErrors(spec: MutableJson, seconds: number, audiences: readonly unknown[]): FieldError[] {
  const ref = objectAt(spec, 'boundObjectRef');
  const attestations = objectAt(spec, 'attestations');
  if (textAt(ref, 'apiVersion') === 'admissionregistration.k8s.io/v1' && webhooks.includes(textAt(ref, 'kind'))) {
    const text = 'must be length 1 when bound to a webhook config';
    const many = audiences.length === 1 ? [] : [invalidValue('spec.audiences', audiences, text)];
    return [...secondsErrors(seconds), ...many, ...attestationErrors(attestations)];
  }
  if (Object.keys(attestations ?? {}).length === 0) return secondsErrors(seconds);
  const text = 'attestations may only be specified with a webhook bound object reference';
  return [invalidValue('spec.attestations', attestations, text)];
}

function bound(storage: Storage, plural: string, namespace: string, name: string): DynamicObject {
  const found = storage.get({ resource: `/${plural}`, namespace, name });
  if (!found) throw notFound({ group: '', plural }, name);
  return found as DynamicObject;
}

const refOf = ({ metadata }: DynamicObject): ObjectRef => ({ name: metadata.name, uid: metadata.uid ?? '' });

/** The object a token is to be bound to, as the token names it. @throws ApiError */
function boundTo(storage: Storage, account: DynamicObject, ref: MutableJson | undefined): Partial<TokenSubject> {
  if (!ref) return {};
  const { namespace = '', name: accountName } = account.metadata;
  const [apiVersion, kindName, name] = [textAt(ref, 'apiVersion'), textAt(ref, 'kind'), textAt(ref, 'name')];
  const known = ['Pod', 'Node', 'Secret'].includes(kindName) && !apiVersion.includes('/');
  if (!known) {
    const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    const off = apiVersion === 'admissionregistration.k8s.io/v1' && webhooks.includes(kindName);
    const why = off ? ' (feature gate APIServerWebhookAuthenticationToken is disabled)' : '';
    throw badRequest(`cannot bind token to object of type ${version}, Kind=${kindName}${why}`);
  }
  const found = bound(storage, `${kindName.toLowerCase()}s`, kindName === 'Node' ? '' : namespace, name);
  const subject = { [kindName.toLowerCase()]: refOf(found) };
  if (kindName === 'Pod') {
    const spec = objectAt(found, 'spec');
    if (textAt(spec, 'serviceAccountName') !== accountName) {
      const text = `cannot bind token for serviceaccount ${JSON.stringify(accountName)} to pod running with different serviceaccount name.`;
      throw badRequest(text);
    }
    const nodeName = textAt(spec, 'nodeName');
    if (nodeName !== '') {
      const node = storage.get({ resource: '/nodes', namespace: '', name: nodeName });
      subject.node = node ? refOf(node as DynamicObject) : { name: nodeName, uid: '' };
    }
  }
  const uid = textAt(ref, 'uid');
  if (uid !== '' && uid !== found.metadata.uid) {
    const text = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: '', plural: kindName }, name, text);
  }
  return subject;
}

/** Whose the fields of the question are: all that was asked, and how long the token is to be good. */
function claimOf({ query = {}, userAgent = '' }: ApiRequest, spec: MutableJson, time: string): ManagedFieldsEntry {
  const ref = objectAt(spec, 'boundObjectRef');
  const ofRef = Object.fromEntries(Object.keys(ref ?? {}).map((key) => [`f:${key}`, {}]));
  return {
    manager: query.fieldManager || userAgent.split('/')[0] || 'unknown',
    operation: 'Update',
    apiVersion: `${kind.group}/v1`,
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:spec': {
        'f:expirationSeconds': {},
        ...(listAt(spec, 'audiences').length > 0 ? { 'f:audiences': {} } : {}),
        ...(ref ? { 'f:boundObjectRef': ofRef } : {}),
      },
    },
    subresource: 'token',
  };
}

function answer(request: SubresourceRequest, tokens: ServiceAccountTokens): object {
  const { request: asked, name, namespace, context, operations } = request;
  if (!isObject(asked.body)) throw badRequest('not a TokenRequest object: the body must be a JSON object');
  checkName(asked.body, name, namespace);
  const account = operations.get();
  checkUid(asked.body, name, account);
  const spec = objectAt(asked.body, 'spec') ?? {};
  const given = listAt(spec, 'audiences').filter((audience) => typeof audience === 'string');
  const audiences = given.length > 0 ? given : [issuer];
  const seconds = numberAt(spec, 'expirationSeconds') ?? hour;
  const errors = specErrors(spec, seconds, audiences);
  if (errors.length > 0) refuse('', errors);
  const now = formatTime(context.clock.now());
  const ref = objectAt(spec, 'boundObjectRef');
  const bond = boundTo(context.storage, account, ref);
  const subject = { namespace, serviceaccount: refOf(account), ...bond };
  const forServer = audiences.every((audience) => audience === issuer);
  const extended = bond.pod !== undefined && seconds === renewedHourly && forServer;
  const { token, expires } = tokens.issue(subject, audiences, seconds, extended ? year - seconds : 0);
  return {
    kind: kind.kind,
    apiVersion: `${kind.group}/v1`,
    metadata: {
      name,
      namespace,
      uid: account.metadata.uid,
      creationTimestamp: now,
      managedFields: [claimOf(asked, spec, now)],
    },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: ref ?? null },
    status: { token, expirationTimestamp: formatTime(expires * 1000) },
  };
}

/** `serviceaccounts/token`: a token for a service account. */
export function tokenRequest(tokens: ServiceAccountTokens): SubresourceHandler {
  return {
    resource: '/serviceaccounts',
    name: 'token',
    verbs: ['create'],
    handle: (request) => ({ kind: 'object', code: 201, body: answer(request, tokens) }),
  };
}
