import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { VirtualClock } from '../core/index.ts';
import { fileCredentials } from './credentials.ts';
import { httpTransport } from './http-transport.ts';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const fixture = (name: string) => readFile(new URL(`fixtures/${name}`, import.meta.url), 'utf8');

/** A server that counts its connections, and whose watch sends a bookmark when the test says so. */
async function server() {
  const sockets = new Set<Socket>();
  let send: () => void = () => {};
  const tls = { cert: await fixture('server.crt'), key: await fixture('server.key') };
  const https = createServer(tls, (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    if (!request.url?.includes('watch')) return response.end('{}');
    const line = `${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { name: '', resourceVersion: '1' } } })}\n`;
    send = () => response.write(line);
    response.flushHeaders();
  });
  https.on('secureConnection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => https.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    https.close();
  });
  return { sockets, bookmark: () => send(), url: `https://127.0.0.1:${(https.address() as AddressInfo).port}` };
}

async function files(content: Readonly<Record<string, string>>) {
  const directory = await mkdtemp(join(tmpdir(), 'coxswain-'));
  closers.push(() => rm(directory, { recursive: true }));
  const write = (name: string, text: string) => writeFile(join(directory, name), text);
  for (const [name, text] of Object.entries(content)) await write(name, text);
  return { write, path: (name: string) => join(directory, name) };
}

test('a new authority means new connections; a watch on the old ones goes on', async () => {
  const { sockets, url, bookmark } = await server();
  const ca = await fixture('ca.crt');
  const { write, path } = await files({ ca });
  const clock = new VirtualClock();
  const credentials = fileCredentials({ ca: path('ca') }, clock, 'cluster "c"');
  const transport = httpTransport({ server: url, credentials, namespace: 'default' });
  closers.push(() => transport.close());
  const call = () => transport.send({ method: 'GET', path: '/' });
  const stream = (await transport.watch({ method: 'GET', path: '/watch' }))[Symbol.asyncIterator]();
  const calls = async () => {
    for (let i = 0; i < 5; i++) await call();
    return sockets.size;
  };
  const before = await calls();
  expect(await calls()).toBe(before);

  await write('ca', `${ca}${ca}`);
  await clock.advance(60_000);
  const after = await calls();
  expect(after).toBeGreaterThan(before);
  bookmark();
  expect((await stream.next()).value).toMatchObject([{ type: 'BOOKMARK' }]);

  for (const broken of ['', '-----BEGIN CERTIFICATE-----\nhalf']) {
    await write('ca', broken);
    await clock.advance(60_000);
    expect(await calls()).toBe(after);
  }
});

test('a certificate whose key is still being written does not replace the pair that is in use', async () => {
  const [cert = '', key = '', otherCert = '', otherKey = ''] = await Promise.all(
    ['client.crt', 'client.key', 'server.crt', 'server.key'].map(fixture),
  );
  const { write, path } = await files({ cert, key });
  const clock = new VirtualClock();
  const credentials = fileCredentials({ cert: path('cert'), key: path('key') }, clock, 'user "u"');
  expect(await credentials.current()).toEqual({ cert, key });
  await write('cert', otherCert);
  await clock.advance(60_000);
  expect(await credentials.current()).toEqual({ cert, key });
  await write('key', otherKey);
  await clock.advance(60_000);
  expect(await credentials.current()).toEqual({ cert: otherCert, key: otherKey });

  await write('cert', cert);
  await expect(fileCredentials({ cert: path('cert'), key: path('key') }, clock, 'user "u"').current()).rejects.toThrow(
    `user "u": the key is not the certificate's`,
  );
});
