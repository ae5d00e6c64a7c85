import type { RbacRules } from '../apply/index.ts';
import { createClient, type Transport } from '../client/index.ts';
import { createManager, type Operator } from '../manager/index.ts';
import { type RbacDeclaration, rbacOf } from './rbac-of.ts';

/** Nothing is asked of a server before a manager starts. */
const nowhere: Transport = {
  send: ({ method, path }) => Promise.reject(new Error(`${method} ${path}: there is no server behind a declaration`)),
  watch: ({ path }) => Promise.reject(new Error(`watch ${path}: there is no server behind a declaration`)),
  close: () => Promise.resolve(),
};

/**
 * The least an operator must be allowed to do, from what its `setup` declares: see {@link rbacOf}. What its actors and reconcilers do by
 * hand besides goes into `rules`; `missingRules` of the test kit finds what was forgotten, `unusedRules` what is too much.
 * @param operator its `setup` is called with a manager that never starts
 * @param more what the manager and the webhook server are given: the same election, the same certificates
 * @throws Error when an actor has dependencies and does not say of which kinds
 */
export function rulesOf(
  operator: Pick<Operator, 'name' | 'setup'>,
  more: Omit<RbacDeclaration, 'controllers'> = {},
): RbacRules {
  const manager = createManager({ client: createClient({ transport: nowhere }), name: operator.name });
  operator.setup(manager);
  return rbacOf({ ...more, controllers: manager.declared });
}
