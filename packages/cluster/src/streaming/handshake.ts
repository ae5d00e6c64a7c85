import { createHash } from 'node:crypto';
import { http } from '../late-modules.ts';

/** RFC 6455 §1.3. */
const challenge = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/**
 * The answer that makes a connection a WebSocket. `protocol`: the chosen subprotocol; `''` is one, too, and told; `undefined`: none was
 * to be chosen.
 */
export function webSocketHead(key: string, protocol: string | undefined): string {
  const accept = createHash('sha1').update(`${key}${challenge}`).digest('base64');
  return head('websocket', [
    `Sec-WebSocket-Accept: ${accept}`,
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
  ]);
}

/** An answer, as bare as the real server's, that no WebSocket comes of; the connection is to be closed after it. */
export function webSocketRefusal(code: number, text: string, headers: readonly string[] = []): string {
  return [`HTTP/1.1 ${code} ${http().STATUS_CODES[code]}`, ...headers, '', text].join('\r\n');
}

/** The answer that makes a connection one of SPDY. */
export const spdyHead = (protocol: string): string => head('SPDY/3.1', [`X-Stream-Protocol-Version: ${protocol}`]);

function head(upgrade: string, lines: readonly string[]): string {
  return ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', `Upgrade: ${upgrade}`, ...lines, '', ''].join(
    '\r\n',
  );
}
