import { badRequest } from '@coxswain/runtime/core';
import type { Impersonation } from '../apiserver/types.ts';
import type { HttpRequest } from './http-message.ts';

const extraPrefix = 'impersonate-extra-';

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/**
 * Whom the `Impersonate-…` headers name; `undefined` without them.
 * @throws ApiError BadRequest when they name no user
 */
export function impersonationOf(request: HttpRequest): Impersonation | undefined {
  let user = '';
  let uid = '';
  let asked = false;
  const groups: string[] = [];
  const extra: Record<string, string[]> = {};
  const { rawHeaders } = request;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    if (!name.startsWith('impersonate-')) continue;
    const value = rawHeaders[i + 1] ?? '';
    if (name === 'impersonate-user') user ||= value;
    else if (name === 'impersonate-uid') uid ||= value;
    else if (name === 'impersonate-group') groups.push(value);
    else if (name.startsWith(extraPrefix)) {
      const key = unescaped(name.slice(extraPrefix.length));
      extra[key] = [...(extra[key] ?? []), value];
      asked = true;
    }
  }
  if (user !== '') return { user, groups, extra, ...(uid === '' ? {} : { uid }) };
  if (!asked && groups.length === 0 && uid === '') return undefined;
  throw badRequest(`requested ${goUser(uid, groups, extra)} without impersonating a user name`);
}

/** As the real server prints the user of such a request. */
function goUser(uid: string, groups: readonly string[], extra: Readonly<Record<string, readonly string[]>>): string {
  const list = (values: readonly string[]) => `{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
  const entries = Object.entries(extra).map(([key, values]) => `${JSON.stringify(key)}:[]string${list(values)}`);
  const extras = entries.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`;
  const shown = groups.length === 0 ? '[]string(nil)' : `[]string${list(groups)}`;
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${shown}, Extra:${extras}}`;
}
