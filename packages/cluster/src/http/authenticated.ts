import type { UserInfo } from '../apiserver/types.ts';

const groups = { authenticated: 'system:authenticated', anonymous: 'system:unauthenticated' } as const;

/** The user with the group that all users have who are not anonymous. */
export function authenticated(user: UserInfo): UserInfo {
  if (user.groups.includes(groups.authenticated) || user.groups.includes(groups.anonymous)) return user;
  return Object.freeze({ ...user, groups: Object.freeze([...user.groups, groups.authenticated]) });
}
