/**
 * A small HTTP server for a pod.
 *
 * | variable | |
 * | --- | --- |
 * | `PORT` | where it listens |
 * | `POD_IP` | the address it listens at; absent: the pod's own where pods share a machine's loopback range, else all |
 * | `VERSION` | what it says it is; absent: `none` |
 * | `DELAY` | milliseconds before each answer; absent: 0 |
 *
 * `/` answers with version and host name, `/healthz` with `ok`, anything else is not found. On SIGTERM it takes no new connections, answers
 * what it was asked, and ends.
 */
import { lookup } from 'node:dns/promises';
import { createServer, type ServerResponse } from 'node:http';
import { hostname } from 'node:os';

const { PORT = '8080', POD_IP, VERSION = 'none', DELAY = '0' } = process.env;

function answer(path: string, response: ServerResponse): void {
  const text = (code: number, body: string) =>
    response.writeHead(code, { 'Content-Type': 'text/plain' }).end(`${body}\n`);
  if (path === '/healthz') text(200, 'ok');
  else if (path === '/') text(200, `version ${VERSION} on ${hostname()}`);
  else text(404, 'not found');
}

const server = createServer((request, response) => {
  setTimeout(() => answer((request.url ?? '/').replace(/\?.*/, ''), response), Number(DELAY));
});

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => {
    console.log(`${signal}: no new connections`);
    server.close(() => console.log('all requests are answered'));
    server.closeIdleConnections();
  });

/** Pods that are processes of one machine have addresses of its loopback range; who listened at all of them would be in the way of the others. */
async function ownAddress(): Promise<string | undefined> {
  const { address } = await lookup(hostname()).catch(() => ({ address: '' }));
  return address.startsWith('127.') && !/^127\.0\.[01]\.1$/.test(address) ? address : undefined;
}

server.listen(Number(PORT), POD_IP ?? (await ownAddress()), () =>
  console.log(`version ${VERSION} listens on port ${PORT}`),
);
