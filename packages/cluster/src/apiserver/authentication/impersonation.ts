import type { Attributes, Authorizer } from '../authorization/index.ts';
import { masters, notPermitted } from '../authorization/index.ts';
import { dnsLabel, dnsSubdomain, domainPrefixedPath } from '../builtin/shared/names.ts';
import type { Impersonation, UserInfo } from '../types.ts';

const authenticated = 'system:authenticated';
const unauthenticated = 'system:unauthenticated';
const anonymous = 'system:anonymous';
const group = 'authentication.k8s.io';

interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** The service account behind a user's name, if it is one. */
export function accountOf(user: string): Account | undefined {
  const prefix = 'system:serviceaccount:';
  const [namespace = '', name = '', ...more] = user.startsWith(prefix) ? user.slice(prefix.length).split(':') : [];
  if (more.length > 0 || namespace === '' || name === '') return undefined;
  return dnsLabel(namespace).length === 0 && dnsSubdomain(name).length === 0 ? { namespace, name } : undefined;
}

function nodeOf(user: string): string | undefined {
  const name = user.startsWith('system:node:') ? user.slice('system:node:'.length) : '';
  return name !== '' && dnsSubdomain(name).length === 0 ? name : undefined;
}

interface Mode {
  /** Of the verb: `impersonate` or `impersonate:MODE`. */
  readonly verb: string;
  /** API group of users and groups. */
  readonly group: string;
}

/** A pod's service account as the pod's own node. */
const associatedNode = 'associated-node';

const legacy: Mode = { verb: 'impersonate', group: '' };

const nodeNameKey = 'authentication.kubernetes.io/node-name';

/** Whether a service account's token was issued to a pod on that node. */
function isOnNode({ name, extra }: UserInfo, node: string): boolean {
  const [found, ...more] = extra?.[nodeNameKey] ?? [];
  return accountOf(name) !== undefined && found === node && more.length === 0;
}

/** The narrower modes that fit the wanted user, in order: a node or service account alone, or anybody else. */
function narrowModes(user: UserInfo, wanted: Impersonation): readonly string[] {
  const alone = wanted.groups.length === 0 && wanted.uid === undefined && Object.keys(wanted.extra).length === 0;
  const node = nodeOf(wanted.user);
  if (node !== undefined) {
    if (!alone) return [];
    return isOnNode(user, node) ? [associatedNode, 'arbitrary-node'] : ['arbitrary-node'];
  }
  if (accountOf(wanted.user)) return alone ? ['serviceaccount'] : [];
  return ['user-info'];
}

type Extra = Impersonation['extra'];

const question = (
  verb: string,
  of: string,
  resource: string,
  name: string,
  subresource = '',
  namespace = '',
): Attributes => ({
  kind: 'resource',
  verb,
  group: of,
  resource,
  subresource,
  namespace,
  name,
});

/** What must be allowed of the wanted user's name and uid. */
function nameQuestions({ user, uid }: Impersonation, mode: Mode): Attributes[] {
  const account = accountOf(user);
  const node = mode === legacy ? undefined : nodeOf(user);
  const self = account
    ? question(mode.verb, mode.group, 'serviceaccounts', account.name, '', account.namespace)
    : node === undefined
      ? question(mode.verb, mode.group, 'users', user)
      : question(mode.verb, mode.group, 'nodes', mode.verb === `impersonate:${associatedNode}` ? '*' : node);
  return [self, ...(uid === undefined ? [] : [question(mode.verb, group, 'uids', uid)])];
}

/** From so many groups or values on, the narrower modes ask for all at once first. */
const many = 4;

/** Why the narrower modes take such groups from nobody. */
function groupFault(groups: readonly string[]): readonly [name: string, why: string] | undefined {
  if (groups.includes('')) return ['', 'impersonating the empty string group is not allowed'];
  if (groups.includes(masters)) return [masters, `impersonating the ${masters} group is not allowed`];
  return undefined;
}

function extraFault(extra: Extra): string | undefined {
  for (const [key, values] of Object.entries(extra)) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    const [fault] = domainPrefixedPath(key, 'extra.key');
    if (fault) return `impersonating an invalid key in extra is not allowed: ${fault.field}: ${fault.message}`;
    if (key !== key.toLowerCase())
      return `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`;
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
}

function groupsOf({ user, groups }: Impersonation, mode: Mode): readonly string[] {
  const account = accountOf(user);
  const node = mode === legacy ? undefined : nodeOf(user);
  let own = groups;
  if (groups.length === 0 && account) own = ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`];
  else if (node !== undefined) own = ['system:nodes'];
  const further = user === anonymous ? unauthenticated : own.includes(unauthenticated) ? undefined : authenticated;
  return further === undefined || own.includes(further) ? own : [...own, further];
}

type Refusal = (questions: readonly Attributes[]) => Error | undefined;

function groupsRefusal(user: UserInfo, groups: readonly string[], mode: Mode, refusal: Refusal): Error | undefined {
  const ask = (name: string) => question(mode.verb, mode.group, 'groups', name);
  if (mode !== legacy) {
    const fault = groupFault(groups);
    if (fault) return notPermitted(user, ask(fault[0]), fault[1]);
    if (groups.length >= many && !refusal([ask('*')])) return undefined;
  }
  return refusal(groups.map(ask));
}

function extraRefusal(user: UserInfo, extra: Extra, mode: Mode, refusal: Refusal): Error | undefined {
  const ask = (name: string, key: string) => question(mode.verb, group, 'userextras', name, key);
  const questions = Object.entries(extra).flatMap(([key, values]) => values.map((value) => ask(value, key)));
  if (mode !== legacy) {
    const fault = extraFault(extra);
    if (fault !== undefined) return notPermitted(user, ask('', ''), fault);
    if (questions.length >= many && !refusal([ask('*', '*')])) return undefined;
  }
  return refusal(questions);
}

/**
 * The user that somebody wants to be taken for.
 * @param asked what the request itself does: the narrower modes allow impersonation for single verbs
 * @throws ApiError Forbidden
 */
export function impersonate(
  authorizer: Authorizer,
  user: UserInfo,
  wanted: Impersonation,
  asked: Attributes,
): UserInfo {
  let first: Error | undefined;
  const refusal = (questions: readonly Attributes[]): Error | undefined => {
    for (const one of questions) {
      const { allowed, reason } = authorizer.authorize(user, one);
      if (!allowed) return notPermitted(user, one, reason);
    }
    return undefined;
  };
  const attempt = (mode: Mode, before: readonly Attributes[]): UserInfo | undefined => {
    const why =
      refusal([...before, ...nameQuestions(wanted, mode)]) ??
      groupsRefusal(user, wanted.groups, mode, refusal) ??
      extraRefusal(user, wanted.extra, mode, refusal);
    first ??= why;
    if (why) return undefined;
    const { uid, extra } = wanted;
    return { name: wanted.user, groups: groupsOf(wanted, mode), ...(uid === undefined ? {} : { uid }), extra };
  };
  for (const mode of narrowModes(user, wanted)) {
    const on = { ...asked, verb: `impersonate-on:${mode}:${asked.verb}` };
    const narrowed = attempt({ verb: `impersonate:${mode}`, group }, [on]);
    if (narrowed) return narrowed;
  }
  const found = attempt(legacy, []);
  if (!found) throw first;
  return found;
}
