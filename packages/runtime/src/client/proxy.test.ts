import { readFile } from 'node:fs/promises';
import { createServer as createPlainServer, type Server } from 'node:http';
import { createServer } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createSocketServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Connection } from './connection.ts';
import { staticCredentials } from './credentials.ts';
import { httpTransport } from './http-transport.ts';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const fixture = (name: string) => readFile(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
const tls = async () => ({ cert: await fixture('server.crt'), key: await fixture('server.key') });

async function listen(server: NetServer): Promise<number> {
  const sockets = new Set<Socket>();
  for (const event of ['connection', 'secureConnection']) server.on(event, (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** An API server that answers everything, and sends one bookmark on a watch. */
async function apiServer(): Promise<{ readonly port: number; readonly ca: string }> {
  const server = createServer(await tls(), (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const bookmark = { type: 'BOOKMARK', object: { metadata: { name: '', resourceVersion: '1' } } };
    response.end(request.url?.includes('watch') ? `${JSON.stringify(bookmark)}\n` : '{"ok":true}');
  });
  return { port: await listen(server), ca: await fixture('ca.crt') };
}

/** Makes an HTTP server a proxy that opens tunnels, and notes what for. */
function tunnelling(server: Server): readonly (readonly [string | undefined, string | undefined])[] {
  const asked: [string | undefined, string | undefined][] = [];
  server.on('connect', (request, socket) => {
    asked.push([request.url, request.headers['proxy-authorization']]);
    const [host = '', port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [upstream, socket]) end.on('error', () => {});
    closers.push(() => upstream.destroy());
  });
  return asked;
}

/** A SOCKS5 proxy (RFC 1928) that wants a user and a password (RFC 1929), for IPv4 addresses and names. */
function socks(asked: string[]): NetServer {
  return createSocketServer((socket) => {
    let step = 0;
    socket.on('error', () => {});
    socket.on('data', (data) => {
      if (step === 0) socket.write(Buffer.from([5, 2]));
      else if (step === 1) {
        const length = data[1] ?? 0;
        asked.push(data.subarray(2, 2 + length).toString(), data.subarray(3 + length).toString());
        socket.write(Buffer.from([1, 0]));
      } else if (step === 2) {
        const isName = data[3] === 3;
        const host = isName ? data.subarray(5, data.length - 2).toString() : data.subarray(4, 8).join('.');
        const port = data.readUInt16BE(data.length - 2);
        asked.push(`${host}:${port}`);
        const upstream = connect(port, host, () => {
          socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
          socket.removeAllListeners('data');
          upstream.pipe(socket).pipe(upstream);
        });
        upstream.on('error', () => {});
        closers.push(() => upstream.destroy());
      }
      step++;
    });
  });
}

async function viaProxy(proxy: string, api: { readonly port: number; readonly ca: string }) {
  const connection: Connection = {
    server: `https://127.0.0.1:${api.port}`,
    credentials: staticCredentials({ ca: api.ca }),
    namespace: 'default',
    proxy,
  };
  const transport = httpTransport(connection);
  closers.push(() => transport.close());
  const bodies = await Promise.all(['/a', '/b'].map((path) => transport.send({ method: 'GET', path })));
  expect(bodies.map(({ body }) => body)).toEqual([{ ok: true }, { ok: true }]);
  const types: string[] = [];
  for await (const batch of await transport.watch({ method: 'GET', path: '/watch' })) {
    types.push(...batch.map(({ type }) => type));
  }
  expect(types).toEqual(['BOOKMARK']);
  return transport;
}

test('through an HTTP proxy that wants a password', async () => {
  const api = await apiServer();
  const proxy = createPlainServer();
  const asked = tunnelling(proxy);
  await viaProxy(`http://me:p%40ss@127.0.0.1:${await listen(proxy)}`, api);
  const authorization = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
  expect(new Set(asked.map(String))).toEqual(new Set([`127.0.0.1:${api.port},${authorization}`]));
});

test('through an HTTPS proxy whose certificate the cluster vouches for', async () => {
  const api = await apiServer();
  const proxy = createServer(await tls());
  const asked = tunnelling(proxy);
  await viaProxy(`https://localhost:${await listen(proxy)}`, api);
  expect(asked[0]).toEqual([`127.0.0.1:${api.port}`, undefined]);
});

test('through a SOCKS5 proxy that wants a password', async () => {
  const api = await apiServer();
  const asked: string[] = [];
  await viaProxy(`socks5://me:secret@127.0.0.1:${await listen(socks(asked))}`, api);
  expect(asked.slice(0, 2)).toEqual(['me', 'secret']);
  expect(asked).toContain(`127.0.0.1:${api.port}`);
});

test('a proxy that refuses is named as the cause', async () => {
  const api = await apiServer();
  const proxy = createPlainServer();
  proxy.on('connect', (_request, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
  await expect(viaProxy(`http://127.0.0.1:${await listen(proxy)}`, api)).rejects.toThrow(
    'the proxy refused to connect to it (HTTP 403)',
  );
});
