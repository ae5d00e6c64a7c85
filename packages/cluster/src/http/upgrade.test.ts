import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { CommandSession, CommandStreams } from '../apiserver/streams.ts';
import type { ApiRequest, ApiResponse } from '../apiserver/types.ts';
import type { HttpsServer } from './start-https.ts';
import { ask, authority, startTestServer } from './test-server.ts';

let server: HttpsServer;
let handle: (request: ApiRequest) => Promise<ApiResponse>;

beforeAll(async () => {
  server = await startTestServer((request) => handle(request));
});
afterAll(() => server.close());
beforeEach(() => {
  handle = async () => ({ kind: 'upgrade', code: 101, body: command(async () => ({ status: 'Success' })) });
});

const command = (
  run: (streams: CommandStreams) => Promise<object>,
  rest: Partial<CommandSession> = {},
): CommandSession => ({
  kind: 'command',
  stdin: true,
  stdout: true,
  stderr: true,
  tty: false,
  ...rest,
  run: run as CommandSession['run'],
});

/** Sends a raw request; answers what comes until the server closes the connection. */
async function raw(text: string | Buffer): Promise<Buffer> {
  const socket: TLSSocket = connect({ host: '127.0.0.1', port: server.port, ca: authority.cert });
  await once(socket, 'secureConnect');
  socket.write(text);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const hello = (protocols: string, extra = '') =>
  `GET /exec HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
  `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${protocols ? `Sec-WebSocket-Protocol: ${protocols}\r\n` : ''}${extra}\r\n`;

/** A masked frame, with a mask of zeros. */
const frame = (opcode: number, payload: Buffer, fin = true) =>
  Buffer.concat([Buffer.from([(fin ? 0x80 : 0) | opcode, 0x80 | payload.length, 0, 0, 0, 0]), payload]);

test('a command over a WebSocket', async () => {
  handle = async () => ({
    kind: 'upgrade',
    code: 101,
    body: command(async ({ stdin, stdout, stderr }) => {
      let text = '';
      for await (const chunk of stdin ?? []) text += chunk;
      stdout?.write(`out ${text}`);
      stderr?.write('err');
      return { status: 'Failure', reason: 'NonZeroExitCode' };
    }),
  });
  const sent = [
    hello('v4.channel.k8s.io, v5.channel.k8s.io'),
    frame(2, Buffer.from('\0hi')),
    frame(2, Buffer.from([255, 0])),
  ];
  const answer = await raw(Buffer.concat(sent.map((part) => Buffer.from(part))));
  const [head, ...rest] = answer.toString('latin1').split('\r\n\r\n');
  expect(head).toContain('HTTP/1.1 101 Switching Protocols');
  expect(head).toContain('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
  expect(head).toContain('Sec-WebSocket-Protocol: v5.channel.k8s.io');
  const status = '{"status":"Failure","reason":"NonZeroExitCode"}';
  const message = (channel: number, text: string) => `\x82${String.fromCharCode(text.length + 1, channel)}${text}`;
  expect(rest.join('\r\n\r\n')).toBe(
    `${message(1, '')}${message(1, 'out hi')}${message(2, 'err')}${message(3, status)}\x88\x02\x03\xe8`,
  );
});

test('whoever does not ask for an upgrade is told to', async () => {
  const { code, body } = await ask('/exec', { to: server });
  expect({ code, body }).toMatchObject({
    code: 400,
    body: { message: 'Upgrade request required', reason: 'BadRequest' },
  });
});
