import type { UserInfo } from '../types.ts';

/** What somebody wants to do, in the terms of the rules: a verb on a resource, or a method on a path. */
export type Attributes =
  | {
      readonly kind: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      /** `''` for the resource itself. */
      readonly subresource: string;
      /** `''` for cluster scope and for all namespaces. */
      readonly namespace: string;
      /** `''` when no single object is meant. */
      readonly name: string;
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string };

export interface Decision {
  readonly allowed: boolean;
  /** Why, for people; `''` when there is nothing to say. */
  readonly reason: string;
}

/** One rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly verbs?: readonly string[] | null;
  readonly apiGroups?: readonly string[] | null;
  readonly resources?: readonly string[] | null;
  readonly resourceNames?: readonly string[] | null;
  readonly nonResourceURLs?: readonly string[] | null;
}

export interface RoleRef {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

/** All rules that hold for a user, and what could not be found out. */
export interface UserRules {
  readonly rules: readonly PolicyRule[];
  readonly errors: readonly string[];
}

/** Decides who may do what. Answers at once, without a promise, so that it can be asked within a write. */
export interface Authorizer {
  authorize(user: UserInfo, attributes: Attributes): Decision;
  /** The rules for a user in a namespace; `''` for those of the whole cluster only. */
  rulesFor(user: UserInfo, namespace: string): UserRules;
  /** The rules of a role; `undefined` when there is no such role. */
  rulesOf(role: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
}

/** Group whose members may do everything, whatever the rules say. */
export const masters = 'system:masters';
