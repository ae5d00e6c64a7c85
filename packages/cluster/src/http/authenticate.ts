import { TLSSocket } from 'node:tls';
import type { UserInfo } from '../apiserver/types.ts';
import { authenticated } from './authenticated.ts';
import type { HttpRequest } from './http-message.ts';
import { unauthorized } from './status.ts';
import { protocolToken } from './upgrade.ts';

/** Who a bearer token belongs to; `undefined` when nobody. `warn` is told what whoever uses it should know. */
export type TokenAuthenticator = (
  token: string,
  warn: (text: string) => void,
) => UserInfo | undefined | Promise<UserInfo | undefined>;

export const anonymous: UserInfo = Object.freeze({
  name: 'system:anonymous',
  groups: Object.freeze(['system:unauthenticated']),
});

/** Whom a connection's certificate names; `undefined` when it showed none. Neither changes while it lasts. */
const bySocket = new WeakMap<TLSSocket, UserInfo | undefined>();

/**
 * The user of a request: its client certificate, else its bearer token, else anonymous.
 * @throws ApiError 401 for a certificate of a stranger or an unknown token
 */
export async function authenticate(
  request: HttpRequest,
  tokens: TokenAuthenticator | undefined,
  warn: (text: string) => void = () => {},
): Promise<UserInfo> {
  const { socket } = request;
  const known = socket instanceof TLSSocket ? certificateUser(socket) : undefined;
  if (known) return known;
  const token = /^bearer\s+(.+)$/i.exec(request.headers.authorization ?? '')?.[1]?.trim() ?? protocolToken(request);
  if (!token) return anonymous;
  const user = await tokens?.(token, warn);
  if (!user) throw unauthorized();
  return authenticated(user);
}

function certificateUser(socket: TLSSocket): UserInfo | undefined {
  if (bySocket.has(socket)) return bySocket.get(socket);
  const { subject } = socket.getPeerCertificate() ?? {};
  const name = first(subject?.CN);
  if (subject && (!socket.authorized || !name)) throw unauthorized();
  const user = name ? authenticated({ name, groups: list(subject?.O) }) : undefined;
  bySocket.set(socket, user);
  return user;
}

const list = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;
const first = (value: string | readonly string[] | undefined): string | undefined => list(value)[0];
