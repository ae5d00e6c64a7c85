import { expect, it } from 'vitest';
import type { Attributes, Authorizer } from '../authorization/index.ts';
import { impersonate } from './impersonation.ts';

const list: Attributes = {
  kind: 'resource',
  verb: 'list',
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: 'team',
  name: '',
};
const boss = { name: 'boss', groups: ['system:authenticated'] };

/** Allows questions of the form `verb resource:name`. */
function allowing(...allowed: readonly string[]): Authorizer {
  return {
    authorize(_user, asked) {
      const text = asked.kind === 'path' ? asked.path : `${asked.verb} ${asked.resource}:${asked.name}`;
      return { allowed: allowed.includes(text), reason: '' };
    },
    rulesFor: () => ({ rules: [], errors: [] }),
    rulesOf: () => undefined,
  };
}

const wanted = (user: string, groups: readonly string[] = []) => ({ user, groups, extra: {} });

it('takes a user for another who may be impersonated', () => {
  const authorizer = allowing('impersonate users:ann', 'impersonate groups:ops');
  expect(impersonate(authorizer, boss, wanted('ann', ['ops']), list)).toEqual({
    name: 'ann',
    groups: ['ops', 'system:authenticated'],
    extra: {},
  });
  expect(() => impersonate(authorizer, boss, wanted('ann', ['admins']), list)).toThrow('is forbidden');
});

it('gives service accounts their groups, and the anonymous theirs', () => {
  const authorizer = allowing('impersonate serviceaccounts:robot', 'impersonate users:system:anonymous');
  expect(impersonate(authorizer, boss, wanted('system:serviceaccount:team:robot'), list).groups).toEqual([
    'system:serviceaccounts',
    'system:serviceaccounts:team',
    'system:authenticated',
  ]);
  expect(impersonate(authorizer, boss, wanted('system:anonymous'), list).groups).toEqual(['system:unauthenticated']);
});

it('allows it for single verbs, but never for the masters', () => {
  const narrow = ['impersonate-on:user-info:list pods:', 'impersonate:user-info users:ann'];
  expect(impersonate(allowing(...narrow), boss, wanted('ann'), list).name).toBe('ann');
  expect(() => impersonate(allowing(...narrow), boss, wanted('ann'), { ...list, verb: 'get' })).toThrow(
    'User "boss" cannot impersonate-on:user-info:get resource "pods" in API group "" in the namespace "team"',
  );
  const masters = allowing(...narrow, 'impersonate:user-info groups:system:masters');
  expect(() => impersonate(masters, boss, wanted('ann', ['system:masters']), list)).toThrow('is forbidden');
});
