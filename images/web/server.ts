/**
 * A small HTTP server for a pod.
 *
 * | variable | |
 * | --- | --- |
 * | `PORT` | where it listens |
 * | `POD_IP` | the address it listens at; absent: all |
 * | `VERSION` | what it says it is; absent: `none` |
 * | `DELAY` | milliseconds before each answer; absent: 0 |
 *
 * `/` answers with version and host name, `/healthz` with `ok`, anything else is not found. On SIGTERM it takes no new connections, answers
 * what it was asked, and ends.
 */
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

server.listen(Number(PORT), POD_IP, () => console.log(`version ${VERSION} listens on port ${PORT}`));
