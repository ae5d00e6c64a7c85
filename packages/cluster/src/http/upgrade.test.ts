import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { CommandSession, CommandStreams, PortForwardSession } from '../apiserver/streams.ts';
import type { ApiRequest, ApiResponse } from '../apiserver/types.ts';
import type { HttpsServer } from './start-https.ts';
import { ask, authority, newWatch, startTestServer } from './test-server.ts';

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

/** A handshake with other words than usual: an empty value leaves the header out. */
function handshake(path: string, changes: Readonly<Record<string, string>> = {}, method = 'GET'): string {
  const usual = {
    Host: 'x',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  const lines = Object.entries({ ...usual, ...changes }).filter(([, value]) => value !== '');
  return [`${method} ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n');
}

const protocols = (value: string) => ({ 'Sec-WebSocket-Protocol': value });

const switched = (...lines: string[]) =>
  [
    'HTTP/1.1 101 Switching Protocols',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=',
    ...lines,
    '',
    '',
  ].join('\r\n');
const goodbye = '\x88\x02\x03\xe8';

// The answers of the real server, but for what only a kubelet adds.
test.each<[string, string, string]>([
  ['no subprotocol is one', handshake('/exec'), switched('Sec-WebSocket-Protocol: ')],
  [
    'the best of several',
    handshake('/exec', protocols('v4.channel.k8s.io, v5.channel.k8s.io')),
    'v5.channel.k8s.io\r\n',
  ],
  ['a known one of several', handshake('/exec', protocols('x, v4.channel.k8s.io')), 'v4.channel.k8s.io\r\n'],
  ['an unknown one', handshake('/exec', protocols('V4.channel.k8s.io')), 'HTTP/1.1 403 Forbidden\r\n\r\n'],
  ['another method', handshake('/exec', {}, 'POST'), 'HTTP/1.1 405 Method Not Allowed\r\n\r\nbad method'],
  [
    'another version',
    handshake('/exec', { 'Sec-WebSocket-Version': '8' }),
    'HTTP/1.1 400 Bad Request\r\nSec-WebSocket-Version: 13\r\n\r\nmissing or bad WebSocket Version',
  ],
  [
    'no key',
    handshake('/exec', { 'Sec-WebSocket-Key': '' }),
    'HTTP/1.1 400 Bad Request\r\n\r\nmismatch challenge/response',
  ],
])('the handshake of a command: %s', async (_what, request, expected) => {
  expect((await raw(request)).toString('latin1')).toContain(expected);
});

test.each<[string, string, readonly number[], string]>([
  ['no port', handshake('/p', protocols('v4.channel.k8s.io')), [], 'query parameter "port" is required'],
  ['port 0', handshake('/p', protocols('v4.channel.k8s.io')), [8080, 0], 'port "0" must be > 0'],
  ['an unknown subprotocol', handshake('/p', protocols('x')), [8080], 'HTTP/1.1 403 Forbidden\r\n\r\n'],
  ['a tunnel by POST', handshake('/p', protocols('SPDY/3.1+portforward.k8s.io'), 'POST'), [], '\nMethod Not Allowed\n'],
  [
    'a tunnel without a key',
    handshake('/p', { ...protocols('SPDY/3.1+portforward.k8s.io'), 'Sec-WebSocket-Key': '' }),
    [],
    '\nBad Request\n',
  ],
])('the handshake of a port-forward: %s', async (_what, request, ports, expected) => {
  const body: PortForwardSession = { kind: 'portforward', ports, connect: async () => {} };
  handle = async () => ({ kind: 'upgrade', code: 101, body });
  expect((await raw(request)).toString('latin1')).toContain(expected);
});

test.each<[string, Record<string, string>, string]>([
  ['an origin', {}, switched()],
  ['one subprotocol, whichever', protocols('any'), switched('Sec-WebSocket-Protocol: any')],
  ['several', protocols('a, b'), 'HTTP/1.1 400 Bad Request\r\n\r\n'],
  ['no origin', { Origin: '' }, 'HTTP/1.1 403 Forbidden\r\n\r\n'],
  ['an origin that is none', { Origin: 'null' }, 'HTTP/1.1 403 Forbidden\r\n\r\n'],
  ['no origin, several', { Origin: '', ...protocols('a, b') }, 'HTTP/1.1 403 Forbidden\r\n\r\n'],
  ['another version', { 'Sec-WebSocket-Version': '8' }, 'missing or bad WebSocket Version'],
])('the handshake of a watch: %s', async (_what, changes, expected) => {
  const stream = newWatch();
  handle = async () => ({ kind: 'watch', stream });
  const answering = raw(handshake('/api/v1/pods?watch=1', { Origin: 'https://page', ...changes }));
  // Refused or not, the watch is let go.
  await Promise.race([stream.started.then(() => stream.end()), stream.cancelled]);
  const text = (await answering).toString('latin1');
  expect(text).toBe(expected.includes('101') ? `${expected}${goodbye}` : text);
  expect(text).toContain(expected);
  await stream.cancelled;
});

test('a watch over a WebSocket: an event is a message of text, its end a goodbye', async () => {
  const stream = newWatch();
  handle = async () => ({ kind: 'watch', stream });
  const answering = raw(handshake('/api/v1/pods?watch=1', { Origin: 'https://page' }));
  await stream.started;
  const object = Object.freeze({ name: 'é' });
  stream.push([
    { type: 'ADDED', object },
    { type: 'DELETED', object },
  ]);
  stream.end();
  const message = (type: string) => {
    const text = Buffer.from(`{"type":"${type}","object":{"name":"é"}}\n`);
    return `\x81${String.fromCharCode(text.length)}${text.toString('latin1')}`;
  };
  expect((await answering).toString('latin1')).toBe(`${switched()}${message('ADDED')}${message('DELETED')}${goodbye}`);
  await stream.cancelled;
});

test('a watch over a WebSocket ends when the client leaves, and when it says goodbye', async () => {
  const streams = [newWatch(), newWatch()];
  handle = async ({ query }) => ({ kind: 'watch', stream: streams[Number(query?.['n'])] ?? newWatch() });
  const said = raw(
    Buffer.concat([
      Buffer.from(handshake('/api/v1/pods?watch=1&n=0', { Origin: 'https://page' })),
      frame(8, Buffer.from([3, 232])),
    ]),
  );
  expect((await said).toString('latin1')).toBe(`${switched()}${goodbye}`);
  await streams[0]?.cancelled;
  const socket = connect({ host: '127.0.0.1', port: server.port, ca: authority.cert });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  socket.write(handshake('/api/v1/pods?watch=1&n=1', { Origin: 'https://page' }));
  await streams[1]?.started;
  socket.destroy();
  await streams[1]?.cancelled;
});

test('a log over a WebSocket: messages of bytes or of base64, after an empty one; an end that is told', async () => {
  const parts = ['one\n', 'tw\u00f6\n'];
  handle = async () => ({
    kind: 'bytes',
    code: 200,
    body: (async function* () {
      for (const part of parts) yield Buffer.from(part);
    })(),
  });
  const over = async (offered: string) =>
    (await raw(handshake('/log', protocols(offered)))).toString('latin1').split('\r\n\r\n')[1];
  const bytes = (opcode: string, texts: readonly Buffer[]) =>
    texts.map((text) => `${opcode}${String.fromCharCode(text.length)}${text.toString('latin1')}`).join('');
  const plain = ['', ...parts].map((text) => Buffer.from(text));
  expect(await over('binary.k8s.io')).toBe(`${bytes('\x82', plain)}${goodbye}`);
  expect(await over('')).toBe(`${bytes('\x82', plain)}${goodbye}`);
  const base64 = plain.map((text) => Buffer.from(text.toString('base64')));
  expect(await over('x, base64.binary.k8s.io')).toBe(`${bytes('\x81', base64)}${goodbye}`);
  handle = async () => ({ kind: 'bytes', code: 204, body: (async function* () {})() });
  expect((await raw(handshake('/log'))).toString()).toContain('HTTP/1.1 204 No Content');
});

test('a log over a WebSocket is let go when the client leaves', async () => {
  let left = () => {};
  const gone = new Promise<void>((resolve) => {
    left = resolve;
  });
  async function* endless() {
    try {
      for (;;) {
        yield Buffer.from('x');
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      left();
    }
  }
  handle = async () => ({ kind: 'bytes', code: 200, body: endless() });
  const socket = connect({ host: '127.0.0.1', port: server.port, ca: authority.cert });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  socket.write(handshake('/log?follow=true'));
  await once(socket, 'data');
  socket.destroy();
  await gone;
});

const bearer = (token: string) => `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;

test('a bearer token comes among the subprotocols, and is none of them', async () => {
  let user: unknown;
  const upgrade = handle;
  handle = async (request) => {
    user = request.user;
    return upgrade(request);
  };
  const answer = await raw(handshake('/exec', protocols(`${bearer('secret')}, v5.channel.k8s.io`)));
  expect(answer.toString('latin1')).toContain('\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n');
  expect(user).toMatchObject({ name: 'bot' });
  // Without a WebSocket it is only a header.
  user = undefined;
  await ask('/x', { to: server, headers: protocols(bearer('secret')) });
  expect(user).toMatchObject({ name: 'system:anonymous' });
});

test.each([
  ['nobody has it', `${bearer('nonsense')}, v4.channel.k8s.io`],
  ['nothing is left to choose', bearer('secret')],
  ['there are two', `${bearer('secret')}, ${bearer('secret')}, v4.channel.k8s.io`],
  ['it is padded', 'base64url.bearer.authorization.k8s.io.YQ==, v4.channel.k8s.io'],
  ['it is no text', 'base64url.bearer.authorization.k8s.io.__8, v4.channel.k8s.io'],
])('a bearer token among the subprotocols is refused when %s', async (_why, offered) => {
  const answer = await raw(handshake('/exec', { Connection: 'Upgrade', ...protocols(offered) }));
  expect(answer.toString()).toMatch(/^HTTP\/1.1 401 Unauthorized\r\n.*"reason":"Unauthorized"/s);
});
