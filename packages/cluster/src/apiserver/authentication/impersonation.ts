import type { Attributes, Authorizer } from '../authorization/index.ts';
import { notPermitted } from '../authorization/index.ts';
import { dnsLabel, dnsSubdomain } from '../builtin/shared/names.ts';
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

const legacy: Mode = { verb: 'impersonate', group: '' };

/** The narrower mode that fits the wanted user: a node or service account alone, or anybody else. */
function narrowMode(wanted: Impersonation): string | undefined {
  const alone = wanted.groups.length === 0 && wanted.uid === undefined && Object.keys(wanted.extra).length === 0;
  if (nodeOf(wanted.user) !== undefined) return alone ? 'arbitrary-node' : undefined;
  if (accountOf(wanted.user)) return alone ? 'serviceaccount' : undefined;
  return 'user-info';
}

/** Everything that must be allowed to become the wanted user. */
function questions({ user, groups, uid, extra }: Impersonation, mode: Mode): Attributes[] {
  const ask = (of: string, resource: string, name: string, subresource = '', namespace = ''): Attributes => ({
    kind: 'resource',
    verb: mode.verb,
    group: of,
    resource,
    subresource,
    namespace,
    name,
  });
  const account = accountOf(user);
  const node = mode === legacy ? undefined : nodeOf(user);
  const self = account
    ? ask(mode.group, 'serviceaccounts', account.name, '', account.namespace)
    : node === undefined
      ? ask(mode.group, 'users', user)
      : ask(mode.group, 'nodes', node);
  return [
    self,
    ...(uid === undefined ? [] : [ask(group, 'uids', uid)]),
    ...groups.map((name) => ask(mode.group, 'groups', name)),
    ...Object.entries(extra).flatMap(([key, values]) => values.map((value) => ask(group, 'userextras', value, key))),
  ];
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
  const attempt = (mode: Mode, before: readonly Attributes[]): UserInfo | undefined => {
    for (const question of [...before, ...questions(wanted, mode)]) {
      const { allowed, reason } = authorizer.authorize(user, question);
      if (allowed) continue;
      first ??= notPermitted(user, question, reason);
      return undefined;
    }
    const { uid, extra } = wanted;
    return { name: wanted.user, groups: groupsOf(wanted, mode), ...(uid === undefined ? {} : { uid }), extra };
  };
  const narrow = wanted.groups.some((name) => name === '' || name === 'system:masters')
    ? undefined
    : narrowMode(wanted);
  const narrowed =
    narrow === undefined
      ? undefined
      : attempt({ verb: `impersonate:${narrow}`, group }, [
          { ...asked, verb: `impersonate-on:${narrow}:${asked.verb}` },
        ]);
  const found = narrowed ?? attempt(legacy, []);
  if (!found) throw first;
  return found;
}
