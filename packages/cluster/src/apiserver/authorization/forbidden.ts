import { type ApiError, apiError } from '@coxswain/runtime/core';
import type { UserInfo } from '../types.ts';
import type { Attributes } from './types.ts';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function sentence(user: UserInfo, asked: Attributes): string {
  const who = `User ${JSON.stringify(user.name)} cannot ${asked.verb}`;
  if (asked.kind === 'path') return `${who} path ${JSON.stringify(asked.path)}`;
  const resource = asked.subresource === '' ? asked.resource : `${asked.resource}/${asked.subresource}`;
  const what = `${who} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(asked.group)}`;
  return asked.namespace === ''
    ? `${what} at the cluster scope`
    : `${what} in the namespace ${JSON.stringify(asked.namespace)}`;
}

/** 403 for somebody who may not do what was asked. */
export function notPermitted(user: UserInfo, asked: Attributes, reason: string): ApiError {
  const text = sentence(user, asked).replace(/[&<>]/g, (character) => escapes[character] ?? character);
  const why = reason === '' ? text : `${text}: ${reason}`;
  if (asked.kind === 'path') return apiError(403, 'Forbidden', `forbidden: ${why}`, {});
  const { group, resource, name } = asked;
  const qualified = group === '' ? resource : `${resource}.${group}`;
  const named = name === '' ? qualified : `${qualified} ${JSON.stringify(name)}`;
  return apiError(403, 'Forbidden', `${named} is forbidden: ${why}`, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(resource === '' ? {} : { kind: resource }),
  });
}
