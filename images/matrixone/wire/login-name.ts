/** Whom a login is for: `account:user` or `account#user`, and the sys account without one. What follows a `?` asks for labels. */
export interface LoginName {
  readonly account: string;
  readonly user: string;
}

export function parseLoginName(text: string): LoginName {
  const [name = ''] = text.split('?', 1);
  const parts = name.split(/[:#]/);
  const [account = '', user = ''] = parts;
  return parts.length > 1 ? { account, user } : { account: 'sys', user: name };
}
