import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { apiVersionOf, type KubeObject } from '@coxswain/k8s';
import { tokenKubeconfig } from '@coxswain/testing';
import { childLabels, Echo, fieldManager, finalizer } from './kind.ts';
import { echoOf, keyOf, nameOf } from './plane.ts';
import { discovery } from './replay-discovery.ts';
import { type Watcher, watcherOver, webSocketWatcher } from './replay-watcher.ts';

/** Kinds whose objects are asked for, by their plural. */
const kinds: Readonly<Record<string, { readonly apiVersion: string; readonly kind: string }>> = {
  echoes: { apiVersion: 'bench.dev/v1', kind: 'Echo' },
  configmaps: { apiVersion: 'v1', kind: 'ConfigMap' },
  namespaces: { apiVersion: 'v1', kind: 'Namespace' },
  events: { apiVersion: 'v1', kind: 'Event' },
  customresourcedefinitions: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
};

const event = (type: string, object: object): string => JSON.stringify({ type, object });
const urlOf = ({ url }: IncomingMessage): URL => new URL(url ?? '/', 'http://local');
const pluralOf = ({ pathname }: URL): string => pathname.slice(pathname.lastIndexOf('/') + 1);

/**
 * Plays an API server at the speed of the wire: some Echoes that are as they should be, and then a stream of changes to their statuses
 * that ask for nothing; the last one changes a spec. How fast a client takes it is the client's doing.
 */
export class ReplayServer {
  readonly #count: number;
  readonly #server: Server;
  /** Connections that the server has given away. */
  readonly #sockets = new Set<Duplex>();
  /** Those of Echoes. */
  readonly #watchers = new Set<Watcher>();
  /** What clients have noted on Echoes, by index. */
  readonly #annotations = new Map<number, Readonly<Record<string, string>>>();
  /** The events of that, for watches that begin before them. */
  readonly #past: { readonly version: number; readonly text: string }[] = [];
  #asked = performance.now();
  #version = 1_000_000;
  #patched: () => void = () => {};

  private constructor(count: number) {
    this.#count = count;
    // Any other offer, as of HTTP/2, is passed over.
    const shouldUpgradeCallback = ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === 'websocket';
    this.#server = createServer({ shouldUpgradeCallback }, (request, response) => this.#serve(request, response));
    this.#server.on('upgrade', (request, socket) => {
      this.#asked = performance.now();
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      this.#watch(webSocketWatcher(request, socket), urlOf(request));
    });
  }

  static async start(count: number): Promise<ReplayServer> {
    const replay = new ReplayServer(count);
    await new Promise<void>((resolve) => replay.#server.listen(0, '127.0.0.1', resolve));
    return replay;
  }

  kubeconfig(): string {
    const { port } = this.#server.address() as AddressInfo;
    return tokenKubeconfig({ name: 'replay', server: `http://127.0.0.1:${port}`, insecure: true });
  }

  /** Resolves when somebody watches Echoes, and has asked for nothing for a second: what a client does at its start is done. */
  async calm(signal: AbortSignal): Promise<void> {
    while (this.#watchers.size === 0 || performance.now() - this.#asked < 1_000)
      await setTimeout(50, undefined, { signal });
  }

  /** Sends so many changes to all who watch Echoes. @returns seconds until the operator has acted on the last one */
  async play(events: number): Promise<number> {
    const acted = new Promise<void>((resolve) => {
      this.#patched = resolve;
    });
    const since = performance.now();
    for (let sent = 0; sent < events; sent += 500) {
      const some: string[] = [];
      for (let i = sent; i < Math.min(events, sent + 500); i++)
        some.push(event('MODIFIED', this.#echo(i % this.#count, i)));
      await this.#send(some);
    }
    const last = this.#echo(0, events);
    const changed = { ...last, metadata: { ...last.metadata, generation: 2 }, spec: { ...last.spec, n: 2 } };
    await this.#send([event('MODIFIED', changed)]);
    await acted;
    return (performance.now() - since) / 1000;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.#asked = performance.now();
    const url = urlOf(request);
    const answer = (object: object, code = 200) =>
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(object));
    const failure = { kind: 'Status', apiVersion: 'v1', status: 'Failure' };
    if (request.method !== 'GET') {
      this.#write(request, url).then(answer, (error) =>
        answer({ ...failure, reason: 'BadRequest', message: String(error), code: 400 }, 400),
      );
      return;
    }
    request.resume();
    const known = discovery[url.pathname];
    if (url.searchParams.get('watch')) this.#watch(watcherOver(response), url);
    else if (known) answer(known);
    else if (kinds[pluralOf(url)]) answer(this.#list(pluralOf(url)));
    else answer({ ...failure, reason: 'NotFound', code: 404 }, 404);
  }

  /** Keeps what a client notes in annotations, as kopf does of each object it has handled, and nothing else. */
  async #write(request: IncomingMessage, { pathname }: URL): Promise<object> {
    const index = Number(/echo-(\d+)/.exec(pathname)?.[1] ?? 0);
    const body = await text(request);
    if (pathname.endsWith('/status')) this.#patched();
    if (!pathname.includes('/echoes')) return this.#child(index);
    const noted = body.includes('"annotations"') ? JSON.parse(body).metadata?.annotations : undefined;
    if (noted) this.#annotations.set(index, { ...this.#annotations.get(index), ...noted });
    const echo = this.#echo(index, 0);
    if (noted) {
      const past = { version: this.#version, text: event('MODIFIED', echo) };
      this.#past.push(past);
      void this.#send([past.text]);
    }
    return echo;
  }

  #watch(watcher: Watcher, url: URL): void {
    const plural = pluralOf(url);
    if (url.searchParams.get('sendInitialEvents') === 'true') {
      const metadata = { resourceVersion: String(this.#version), annotations: { 'k8s.io/initial-events-end': 'true' } };
      const all = this.#all(plural).map((object) => event('ADDED', object));
      watcher.send([...all, event('BOOKMARK', { ...kinds[plural], metadata })]);
    }
    if (plural !== 'echoes') return;
    const from = Number(url.searchParams.get('resourceVersion') || this.#version);
    watcher.send(this.#past.filter(({ version }) => version > from).map(({ text }) => text));
    this.#watchers.add(watcher);
    watcher.onClose(() => this.#watchers.delete(watcher));
  }

  async #send(events: readonly string[]): Promise<void> {
    await Promise.all([...this.#watchers].map((watcher) => watcher.send(events)));
  }

  #list(plural: string): object {
    const { apiVersion, kind } = kinds[plural] ?? {};
    const metadata = { resourceVersion: String(this.#version) };
    return { apiVersion, kind: `${kind}List`, metadata, items: this.#all(plural) };
  }

  #all(plural: string): readonly KubeObject[] {
    const make = { echoes: (i: number) => this.#echo(i, 0), configmaps: (i: number) => this.#child(i) }[plural];
    return make ? Array.from({ length: this.#count }, (_, i) => make(i)) : [];
  }

  #echo(index: number, turn: number): Echo {
    const echo = echoOf(index);
    const annotations = this.#annotations.get(index);
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
        ...(annotations ? { annotations } : {}),
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
