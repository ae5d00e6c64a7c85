import { badRequest } from '@coxswain/runtime/core';
import type { FaultAction, FaultMatch, FaultRule, FaultWhen, Pattern } from './types.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Answers what is wrong with a value, or nothing. */
type Check = (value: unknown) => string | undefined;

const whole =
  (min: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= min ? undefined : `must be a whole number from ${min}`;
const duration: Check = (value) =>
  Number.isFinite(value) && (value as number) >= 0 ? undefined : 'must be milliseconds, 0 or more';
const probability: Check = (value) =>
  typeof value === 'number' && value >= 0 && value <= 1 ? undefined : 'must be a number from 0 to 1';
const pattern: Check = (value) => {
  const texts = Array.isArray(value) ? value : [value];
  return texts.length > 0 && texts.every((text) => typeof text === 'string')
    ? undefined
    : 'must be a text or a list of texts';
};
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value) ? undefined : `must be ${values.map((each) => JSON.stringify(each)).join(', ')}`;

const verbs = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'post',
  'put',
  'head',
];
/** A verb that nobody has would never be met. */
const verb: Check = (value) => {
  const fault = pattern(value);
  if (fault) return fault;
  const unknown = [value].flat().find((text) => !String(text).includes('*') && !verbs.includes(String(text)));
  return unknown === undefined ? undefined : `must be of ${verbs.join(', ')}`;
};

const matchChecks: Readonly<Record<keyof FaultMatch, Check>> = {
  verb,
  resource: pattern,
  group: pattern,
  subresource: pattern,
  namespace: pattern,
  name: pattern,
  user: pattern,
  userAgent: pattern,
};

const whenChecks: Readonly<Record<keyof FaultWhen, Check>> = {
  nth: whole(1),
  every: whole(1),
  probability,
  times: whole(1),
  after: duration,
  until: duration,
};

/** By the key that says which action it is: the checks of all its keys. */
const actionChecks: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  latency: { latency: duration },
  status: { status: oneOf(409, 410, 429, 500, 503, 504), retryAfter: whole(0) },
  reset: { reset: oneOf(true) },
  loseReply: { loseReply: oneOf(true) },
  watch: { watch: oneOf('drop', 'delay', 'duplicate', 'reorderless-late'), ms: duration },
};

const refuse = (text: string) => badRequest(`the fault rule cannot be used: ${text}`);

function fieldsAt(value: unknown, path: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw refuse(`${path} must be an object`);
}

function checked(value: unknown, path: string, checks: Readonly<Record<string, Check>>): Fields {
  const fields = fieldsAt(value, path);
  for (const [key, each] of Object.entries(fields)) {
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
    if (!check) throw refuse(`${path}.${key} is unknown; known are ${Object.keys(checks).join(', ')}`);
    const fault = check(each);
    if (fault) throw refuse(`${path}.${key} ${fault}, not ${JSON.stringify(each)}`);
  }
  return fields;
}

function actionOf(value: unknown): FaultAction {
  const fields = fieldsAt(value ?? {}, 'action');
  const kinds = Object.keys(actionChecks).filter((kind) => Object.hasOwn(fields, kind));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1)
    throw refuse(`action must have exactly one of ${Object.keys(actionChecks).join(', ')}`);
  return { ...checked(fields, 'action', actionChecks[kind] ?? {}) } as unknown as FaultAction;
}

/** A private copy of a rule, from JSON of any origin. @throws ApiError 400 that says where it is wrong */
export function parseFaultRule(value: unknown): FaultRule {
  const { match, when, action, ...rest } = fieldsAt(value, 'it');
  const [stranger] = Object.keys(rest);
  if (stranger !== undefined) throw refuse(`${stranger} is unknown; known are match, when, action`);
  const copied = Object.entries(match === undefined ? {} : checked(match, 'match', matchChecks)).map(
    ([key, each]) => [key, Array.isArray(each) ? [...each] : each] as [string, Pattern],
  );
  return {
    ...(match === undefined ? {} : { match: Object.fromEntries(copied) }),
    ...(when === undefined ? {} : { when: { ...checked(when, 'when', whenChecks) } }),
    action: actionOf(action),
  };
}
