import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { badRequest, conflict, formatTime, invalid, notFound } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import type { Storage } from '../../storage/types.ts';
import { isObject, listAt, numberAt, objectAt, textAt } from '../builtin/shared/draft.ts';
import { invalidValue } from '../builtin/shared/errors.ts';
import type { SubresourceHandler, SubresourceRequest } from '../types.ts';
import { issuer, type ObjectRef, type ServiceAccountTokens, type TokenSubject } from './service-account-tokens.ts';

const kind = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
const hour = 3600;
const minimum = 600;

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

function secondsOf(spec: MutableJson): number {
  const seconds = numberAt(spec, 'expirationSeconds') ?? hour;
  const field = 'spec.expirationSeconds';
  if (seconds < minimum) refuse('', [invalidValue(field, seconds, 'may not specify a duration less than 10 minutes')]);
  if (seconds > 2 ** 32) {
    refuse('', [invalidValue(field, seconds, 'may not specify a duration larger than 2^32 seconds')]);
  }
  return seconds;
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
    throw badRequest(`cannot bind token to object of type ${version}, Kind=${kindName}`);
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

function answer(request: SubresourceRequest, tokens: ServiceAccountTokens): object {
  const { request: asked, name, namespace, context, operations } = request;
  if (!isObject(asked.body)) throw badRequest('not a TokenRequest object: the body must be a JSON object');
  checkName(asked.body, name, namespace);
  const account = operations.get();
  checkUid(asked.body, name, account);
  const spec = objectAt(asked.body, 'spec') ?? {};
  const given = listAt(spec, 'audiences').filter((audience) => typeof audience === 'string');
  const audiences = given.length > 0 ? given : [issuer];
  const seconds = secondsOf(spec);
  const ref = objectAt(spec, 'boundObjectRef');
  const subject = { namespace, serviceaccount: refOf(account), ...boundTo(context.storage, account, ref) };
  const { token, expires } = tokens.issue(subject, audiences, seconds);
  return {
    kind: kind.kind,
    apiVersion: `${kind.group}/v1`,
    metadata: {
      name,
      namespace,
      uid: account.metadata.uid,
      creationTimestamp: formatTime(context.clock.now()),
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
