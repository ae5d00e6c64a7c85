import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { apiVersionOf, type KubeObject } from '@coxswain/k8s';
import { tokenKubeconfig } from '@coxswain/testing';
import { childLabels, Echo, fieldManager, finalizer } from './kind.ts';
import { echoOf, keyOf, nameOf } from './plane.ts';

const list = (kind: string, items: readonly object[], version: number) => ({
  apiVersion: kind === 'EchoList' ? 'bench.dev/v1' : 'v1',
  kind,
  metadata: { resourceVersion: String(version) },
  items,
});
const resources = (groupVersion: string, name: string, kind: string) => ({
  kind: 'APIResourceList',
  groupVersion,
  resources: [
    {
      name,
      singularName: kind.toLowerCase(),
      namespaced: true,
      kind,
      verbs: ['get', 'list', 'watch', 'patch', 'update', 'create'],
    },
    { name: `${name}/status`, singularName: '', namespaced: true, kind, verbs: ['get', 'patch', 'update'] },
  ],
});
const version = { groupVersion: 'bench.dev/v1', version: 'v1' };
const documents: Readonly<Record<string, object>> = {
  '/version': { major: '1', minor: '37', gitVersion: 'v1.37.2' },
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [{ name: 'bench.dev', versions: [version], preferredVersion: version }],
  },
  '/apis/bench.dev': {
    kind: 'APIGroup',
    apiVersion: 'v1',
    name: 'bench.dev',
    versions: [version],
    preferredVersion: version,
  },
  '/api/v1': resources('v1', 'configmaps', 'ConfigMap'),
  '/apis/bench.dev/v1': resources('bench.dev/v1', 'echoes', 'Echo'),
};

/**
 * Plays an API server at the speed of the wire: some Echoes that are as they should be, and then a stream of changes to their statuses
 * that ask for nothing; the last one changes a spec. How fast a client takes it is the client's doing.
 */
export class ReplayServer {
  readonly #count: number;
  readonly #server: Server;
  readonly #watches = new Set<ServerResponse>();
  #version = 1_000_000;
  #patched: () => void = () => {};

  private constructor(count: number) {
    this.#count = count;
    this.#server = createServer((request, response) => this.#serve(request, response));
  }

  static async start(count: number): Promise<ReplayServer> {
    const replay = new ReplayServer(count);
    await new Promise<void>((resolve) => replay.#server.listen(0, '127.0.0.1', resolve));
    return replay;
  }

  kubeconfig(): string {
    const { port } = this.#server.address() as AddressInfo;
    return tokenKubeconfig({ name: 'replay', server: `http://127.0.0.1:${port}` });
  }

  /** Sends so many changes to all who watch Echoes. @returns seconds until the operator has acted on the last one */
  async play(events: number): Promise<number> {
    const acted = new Promise<void>((resolve) => {
      this.#patched = resolve;
    });
    const since = performance.now();
    for (let sent = 0; sent < events; sent += 500) {
      let text = '';
      for (let i = sent; i < Math.min(events, sent + 500); i++)
        text += this.#event('MODIFIED', this.#echo(i % this.#count, i));
      await Promise.all([...this.#watches].map((watch) => written(watch, text)));
    }
    const last = this.#echo(0, events);
    const changed = { ...last, metadata: { ...last.metadata, generation: 2 }, spec: { ...last.spec, n: 2 } };
    for (const watch of this.#watches) watch.write(this.#event('MODIFIED', changed));
    await acted;
    return (performance.now() - since) / 1000;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://local');
    request.resume();
    response.setHeader('content-type', 'application/json');
    const echoes = pathname.includes('/echoes');
    if (request.method !== 'GET') {
      const index = Number(/echo-(\d+)/.exec(pathname)?.[1] ?? 0);
      if (pathname.endsWith('/status')) this.#patched();
      response.end(JSON.stringify(echoes ? this.#echo(index, 0) : this.#child(index)));
    } else if (searchParams.get('watch'))
      this.#watch(response, echoes, searchParams.get('sendInitialEvents') === 'true');
    else if (/\/(echoes|configmaps)$/.test(pathname)) response.end(JSON.stringify(this.#list(echoes)));
    else if (documents[pathname]) response.end(JSON.stringify(documents[pathname]));
    else
      response
        .writeHead(404)
        .end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }));
  }

  #watch(response: ServerResponse, echoes: boolean, initial: boolean): void {
    response.writeHead(200);
    if (initial) {
      let text = '';
      for (const object of this.#all(echoes)) text += this.#event('ADDED', object);
      const metadata = { resourceVersion: String(this.#version), annotations: { 'k8s.io/initial-events-end': 'true' } };
      const { apiVersion, kind } = echoes
        ? { apiVersion: 'bench.dev/v1', kind: 'Echo' }
        : { apiVersion: 'v1', kind: 'ConfigMap' };
      response.write(`${text}${JSON.stringify({ type: 'BOOKMARK', object: { apiVersion, kind, metadata } })}\n`);
    } else response.flushHeaders();
    if (!echoes) return;
    this.#watches.add(response);
    response.once('close', () => this.#watches.delete(response));
  }

  #list(echoes: boolean): object {
    return list(echoes ? 'EchoList' : 'ConfigMapList', this.#all(echoes), this.#version);
  }

  #all(echoes: boolean): readonly KubeObject[] {
    return Array.from({ length: this.#count }, (_, i) => (echoes ? this.#echo(i, 0) : this.#child(i)));
  }

  #event(type: string, object: object): string {
    return `${JSON.stringify({ type, object })}\n`;
  }

  #echo(index: number, turn: number): Echo {
    const echo = echoOf(index);
    const lastTransitionTime = `2026-01-01T00:${String(Math.floor(turn / 60) % 60).padStart(2, '0')}:${String(turn % 60).padStart(2, '0')}Z`;
    const condition = {
      type: 'Ready',
      status: 'True' as const,
      reason: 'Echoed',
      message: '',
      observedGeneration: 1,
      lastTransitionTime,
    };
    const fields = { 'f:status': { 'f:conditions': {}, 'f:observedGeneration': {}, 'f:phase': {} } };
    const entry = {
      manager: 'someone',
      operation: 'Update',
      apiVersion: 'bench.dev/v1',
      time: lastTransitionTime,
      fieldsType: 'FieldsV1',
    };
    return {
      ...echo,
      metadata: {
        ...echo.metadata,
        uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
        resourceVersion: String(++this.#version),
        generation: 1,
        creationTimestamp: '2026-01-01T00:00:00Z',
        finalizers: [finalizer],
        managedFields: [{ ...entry, fieldsV1: fields, subresource: 'status' } as never],
      },
      status: { observedGeneration: 1, phase: 'Ready', conditions: [condition] },
    };
  }

  #child(index: number): KubeObject {
    const uid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    const owner = {
      apiVersion: apiVersionOf(Echo),
      kind: 'Echo',
      name: nameOf(index),
      uid,
      controller: true,
      blockOwnerDeletion: true,
    };
    const fieldsV1 = {
      'f:data': { 'f:n': {}, 'f:text': {} },
      'f:metadata': {
        'f:labels': { 'f:app.kubernetes.io/managed-by': {} },
        'f:ownerReferences': { [`k:{"uid":"${uid}"}`]: {} },
      },
    };
    return {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        ...keyOf(index),
        uid: `00000001-0000-4000-8000-${String(index).padStart(12, '0')}`,
        resourceVersion: String(++this.#version),
        labels: childLabels,
        ownerReferences: [owner],
        managedFields: [
          { manager: fieldManager, operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 },
        ],
      },
      data: { text: `hello ${index}`, n: '1' },
    } as KubeObject;
  }
}

/** Resolves when the client has room for more, or is gone. */
function written(response: ServerResponse, text: string): Promise<void> {
  if (response.write(text)) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.once('drain', settle).once('close', settle);
  });
}
