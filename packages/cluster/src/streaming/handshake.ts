import { createHash } from 'node:crypto';

/** RFC 6455 §1.3. */
const challenge = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** The answer that makes a connection a WebSocket. `protocol`: the chosen subprotocol, `''` for none. */
export function webSocketHead(key: string, protocol: string): string {
  const accept = createHash('sha1').update(`${key}${challenge}`).digest('base64');
  return head('websocket', [
    `Sec-WebSocket-Accept: ${accept}`,
    ...(protocol ? [`Sec-WebSocket-Protocol: ${protocol}`] : []),
  ]);
}

/** The answer that makes a connection one of SPDY. */
export const spdyHead = (protocol: string): string => head('SPDY/3.1', [`X-Stream-Protocol-Version: ${protocol}`]);

function head(upgrade: string, lines: readonly string[]): string {
  return ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', `Upgrade: ${upgrade}`, ...lines, '', ''].join(
    '\r\n',
  );
}
