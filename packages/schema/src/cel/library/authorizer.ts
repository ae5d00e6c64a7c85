import type { Library } from '../types/environment.ts';
import { type Overload, overload } from '../types/overload.ts';
import { parseType } from '../types/signature.ts';
import { CelError, noSuchOverload } from '../values/errors.ts';
import { Opaque, type Value } from '../values/value.ts';
import { text } from './arguments.ts';

/** What is asked: a path or a resource, and who asks when it is not the user of the request. */
export interface AuthorizationQuery {
  readonly verb: string;
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** Whether it is allowed, and why. */
export interface AuthorizationAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  /** Set when the question could not be answered. */
  readonly error?: string;
}

/** Answers authorization questions of expressions; the caller brings it. */
export type Authorize = (query: AuthorizationQuery) => AuthorizationAnswer;

type Stage = 'Authorizer' | 'PathCheck' | 'GroupCheck' | 'ResourceCheck';

/** A question in the making. */
class Question extends Opaque {
  readonly typeName: string;
  readonly stage: Stage;
  readonly query: Omit<AuthorizationQuery, 'verb'>;
  readonly authorize: Authorize;

  constructor(stage: Stage, query: Omit<AuthorizationQuery, 'verb'>, authorize: Authorize) {
    super();
    this.typeName = `kubernetes.authorization.${stage}`;
    this.stage = stage;
    this.query = query;
    this.authorize = authorize;
  }

  equals(other: Opaque): boolean {
    return other === this;
  }

  with(stage: Stage, more: Partial<AuthorizationQuery>): Question {
    return new Question(stage, { ...this.query, ...more }, this.authorize);
  }
}

class Decision extends Opaque {
  readonly typeName = 'kubernetes.authorization.Decision';
  readonly answer: AuthorizationAnswer;

  constructor(answer: AuthorizationAnswer) {
    super();
    this.answer = answer;
  }

  equals(other: Opaque): boolean {
    return other === this;
  }
}

/** The value of the variable `authorizer`. */
export function authorizerValue(authorize: Authorize): Value {
  return new Question('Authorizer', {}, authorize);
}

/** The value of `authorizer.requestResource`: the resource of the request, ready to be checked. */
export function requestResourceValue(authorize: Authorize, resource: Omit<AuthorizationQuery, 'verb' | 'path'>): Value {
  return new Question('ResourceCheck', resource, authorize);
}

/** Type of the variable `authorizer`. */
export const authorizerType = parseType('kubernetes.authorization.Authorizer');
/** Type of the variable `authorizer.requestResource`. */
export const resourceCheckType = parseType('kubernetes.authorization.ResourceCheck');

function question(value: Value, stage: Stage): Question {
  if (!(value instanceof Question) || value.stage !== stage) throw noSuchOverload();
  return value;
}

function required(what: string, value: Value): string {
  const given = text(value);
  if (given.trim() === '') throw new CelError(`${what} must not be empty`);
  return given;
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function serviceAccount(value: Value, space: Value, account: Value): Value {
  const [namespace, name] = [text(space), text(account)];
  if (!subdomain.test(name) || name.length > 253) throw new CelError('Invalid service account name');
  if (!label.test(namespace)) throw new CelError('Invalid service account namespace');
  const { authorize } = question(value, 'Authorizer');
  return new Question('Authorizer', { serviceAccount: { namespace, name } }, authorize);
}

function check(stage: Stage): (value: Value, verb: Value) => Value {
  return (value, verb) => {
    const { authorize, query } = question(value, stage);
    return new Decision(authorize({ ...query, verb: text(verb) }));
  };
}

function narrowing(name: keyof AuthorizationQuery, id: string): Overload {
  const signature = `kubernetes.authorization.ResourceCheck::${name}(string) -> kubernetes.authorization.ResourceCheck`;
  return overload(id, signature, (value, given) => {
    return question(value, 'ResourceCheck').with('ResourceCheck', { [name]: text(given) });
  });
}

function answer<T extends Value>(name: string, type: string, read: (answer: AuthorizationAnswer) => T): Overload {
  return overload(`decision_${name}`, `kubernetes.authorization.Decision::${name}() -> ${type}`, (value) => {
    if (!(value instanceof Decision)) throw noSuchOverload();
    return read(value.answer);
  });
}

const prefix = 'kubernetes.authorization';

/** Questions to the authorizer, for admission. */
export const authorizerLibrary: Library = {
  types: ['Authorizer', 'PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map((name) =>
    parseType(`${prefix}.${name}`),
  ),
  overloads: [
    overload('authorizer_path', `${prefix}.Authorizer::path(string) -> ${prefix}.PathCheck`, (value, path) =>
      question(value, 'Authorizer').with('PathCheck', { path: required('path', path) }),
    ),
    overload('authorizer_group', `${prefix}.Authorizer::group(string) -> ${prefix}.GroupCheck`, (value, group) =>
      question(value, 'Authorizer').with('GroupCheck', { group: text(group) }),
    ),
    overload(
      'authorizer_serviceaccount',
      `${prefix}.Authorizer::serviceAccount(string, string) -> ${prefix}.Authorizer`,
      serviceAccount,
    ),
    overload(
      'groupcheck_resource',
      `${prefix}.GroupCheck::resource(string) -> ${prefix}.ResourceCheck`,
      (value, name) => question(value, 'GroupCheck').with('ResourceCheck', { resource: required('resource', name) }),
    ),
    narrowing('subresource', 'resourcecheck_subresource'),
    narrowing('namespace', 'resourcecheck_namespace'),
    narrowing('name', 'resourcecheck_name'),
    narrowing('fieldSelector', 'authorizer_fieldselector'),
    narrowing('labelSelector', 'authorizer_labelselector'),
    overload('pathcheck_check', `${prefix}.PathCheck::check(string) -> ${prefix}.Decision`, check('PathCheck')),
    overload(
      'resourcecheck_check',
      `${prefix}.ResourceCheck::check(string) -> ${prefix}.Decision`,
      check('ResourceCheck'),
    ),
    answer('allowed', 'bool', ({ allowed }) => allowed),
    answer('reason', 'string', ({ reason }) => reason),
    answer('errored', 'bool', ({ error }) => error !== undefined),
    answer('error', 'string', ({ error }) => error ?? ''),
  ],
};
