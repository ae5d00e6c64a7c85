import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Pod } from '@coxswain/k8s';

export interface NodeServerOptions {
  readonly node: string;
  /** The pods on the node now. */
  readonly pods: () => readonly Pod[];
}

function podList(pods: readonly Pod[]): object {
  return { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: pods };
}

/** Who is there, and since when. What nothing really uses has no figures. */
function summary({ node, pods }: NodeServerOptions): object {
  const started = (startTime: string | undefined) => (startTime ? { startTime } : {});
  return {
    node: { nodeName: node },
    pods: pods().map(({ metadata: { name, namespace, uid }, spec, status }) => ({
      podRef: { name, namespace, uid },
      ...started(status?.startTime),
      containers: (spec?.containers ?? []).map((container) => {
        const running = status?.containerStatuses?.find((one) => one.name === container.name)?.state?.running;
        return { name: container.name, ...started(running?.startedAt) };
      }),
    })),
  };
}

function answer(options: NodeServerOptions, { method, url = '/' }: IncomingMessage, response: ServerResponse): void {
  const path = url.replace(/\?.*/, '').replace(/(.)\/$/, '$1');
  const text = (code: number, body: string) =>
    response.writeHead(code, { 'Content-Type': 'text/plain; charset=utf-8' }).end(body);
  const json = (body: object) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  if (method !== 'GET' && method !== 'HEAD') text(405, '405: Method Not Allowed');
  else if (path === '/healthz' || path === '/healthz/ping') text(200, 'ok');
  else if (path === '/pods' || path === '/runningpods') json(podList(options.pods()));
  else if (path === '/stats/summary') json(summary(options));
  else text(404, '404 page not found\n');
}

/** The HTTP server of a simulated node: its health, its pods, and who of them started when. It is made for the first who asks. */
export function nodeServer(options: NodeServerOptions): (connection: Duplex) => void {
  let server: Promise<Server> | undefined;
  return (connection) => {
    server ??= import('node:http').then(({ createServer }) =>
      createServer((request, response) => answer(options, request, response)),
    );
    void server.then((made) => made.emit('connection', connection));
  };
}
