import { createClient, type Transport } from '../client/index.ts';
import { createManager, type Operator } from '../manager/index.ts';
import { type RbacDeclaration, type RbacRules, rbacOf } from './rbac-of.ts';

/** Nothing is asked of a server before a manager starts. */
const nowhere: Transport = {
  send: ({ method, path }) => Promise.reject(new Error(`${method} ${path}: there is no server behind a declaration`)),
  watch: ({ path }) => Promise.reject(new Error(`watch ${path}: there is no server behind a declaration`)),
  close: () => Promise.resolve(),
};

/**
 * The least an operator must be allowed to do, from what its `setup` declares: its controllers' own kinds, children and watched kinds,
 * events and Leases. What its actors and reconcilers do by hand besides (kinds that nobody watches, dependencies) goes into `rules`;
 * `recordRbac` of the test kit finds what was forgotten.
 */
export function rulesOf(operator: Operator, more: Omit<RbacDeclaration, 'controllers'> = {}): RbacRules {
  const manager = createManager({ client: createClient({ transport: nowhere }), name: operator.name });
  operator.setup(manager);
  return rbacOf({ ...more, controllers: manager.declared });
}
