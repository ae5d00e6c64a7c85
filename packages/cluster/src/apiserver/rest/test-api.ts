import type { DynamicObject, KubeList, MutableJson, Status } from '@coxswain/k8s';
import type { Method } from '@coxswain/runtime/client';
import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { openStorage } from '../../storage/index.ts';
import type { Storage } from '../../storage/types.ts';
import { createRegistry } from '../builtin/registry.ts';
import { type ApiServerOptions, createApiServer } from '../server.ts';
import type { ApiRequest, ApiServer, OutgoingEvent, ResourceInfo, WatchStream } from '../types.ts';

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const metadata = { type: 'object' } as const;
const replicas = { type: 'integer', format: 'int32' } as const;
const stringMap = { type: 'object', additionalProperties: { type: 'string' } } as const;

function resource(
  info: Partial<ResourceInfo> & Pick<ResourceInfo, 'group' | 'version' | 'kind' | 'plural' | 'schema'>,
): ResourceInfo {
  return {
    singular: info.kind.toLowerCase(),
    namespaced: true,
    shortNames: [],
    categories: [],
    verbs: allVerbs,
    strategy: {},
    columns: [],
    status: false,
    selectable: {},
    builtIn: true,
    storage: `${info.group}/${info.plural}`,
    ...info,
  };
}

/** Small kinds that show each rule once: a plain one, a workload, a custom one, a graceful one and a cluster-scoped one. */
export const testResources: readonly ResourceInfo[] = [
  resource({
    group: '',
    version: 'v1',
    kind: 'ConfigMap',
    plural: 'configmaps',
    schema: { type: 'object', properties: { metadata, data: stringMap, immutable: { type: 'boolean' } } },
  }),
  resource({
    group: '',
    version: 'v1',
    kind: 'Pod',
    plural: 'pods',
    status: true,
    strategy: { deleteReturnsObject: true, gracePeriod: (_pod, requested) => requested ?? 30 },
    selectable: { 'status.phase': (pod) => String((pod.status as MutableJson | undefined)?.phase ?? '') },
    schema: {
      type: 'object',
      properties: {
        metadata,
        spec: { type: 'object', properties: { nodeName: { type: 'string' } } },
        status: { type: 'object', properties: { phase: { type: 'string' } } },
      },
    },
  }),
  resource({
    group: '',
    version: 'v1',
    kind: 'Namespace',
    plural: 'namespaces',
    namespaced: false,
    status: true,
    schema: { type: 'object', properties: { metadata, spec: { type: 'object' }, status: { type: 'object' } } },
  }),
  resource({
    group: 'apps',
    version: 'v1',
    kind: 'Deployment',
    plural: 'deployments',
    status: true,
    scale: { specReplicas: 'spec.replicas', statusReplicas: 'status.replicas', labelSelector: 'spec.selector' },
    strategy: { generation: true },
    schema: {
      type: 'object',
      properties: {
        metadata,
        spec: {
          type: 'object',
          properties: {
            replicas,
            paused: { type: 'boolean' },
            selector: { type: 'object', properties: { matchLabels: stringMap } },
          },
        },
        status: { type: 'object', properties: { replicas, observedGeneration: { type: 'integer' } } },
      },
    },
  }),
  resource({
    group: 'example.com',
    version: 'v1',
    kind: 'Widget',
    plural: 'widgets',
    status: true,
    builtIn: false,
    strategy: { generation: true, unconditionalUpdate: false },
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { size: { type: 'integer', minimum: 1 }, color: { type: 'string', default: 'red' } },
        },
        status: { type: 'object', properties: { ready: { type: 'boolean' } } },
      },
    },
  }),
  resource({
    group: 'coordination.k8s.io',
    version: 'v1',
    kind: 'Lease',
    plural: 'leases',
    strategy: { createOnUpdate: true, unconditionalUpdate: false },
    schema: {
      type: 'object',
      properties: { metadata, spec: { type: 'object', properties: { holderIdentity: { type: 'string' } } } },
    },
  }),
];

type Ask = Partial<Omit<ApiRequest, 'method' | 'path'>>;

/** What a request came to. `body` is typed by what the test expects it to be. */
export interface Answer {
  readonly code: number;
  readonly body: unknown;
  readonly warnings: readonly string[];
}

/** Events of one watch as they came. */
export interface Recording {
  readonly events: OutgoingEvent[];
  readonly batches: readonly (readonly OutgoingEvent[])[];
  /** `ADDED a`, `BOOKMARK` …, and forgets them. */
  take(): string[];
  readonly ended: boolean;
  cancel(): void;
}

/** An API server with small kinds over the real store, in virtual time. */
export interface TestApi {
  readonly server: ApiServer;
  readonly storage: Storage;
  readonly clock: VirtualClock;
  ask(method: Method, path: string, ask?: Ask): Promise<Answer>;
  /** Like `ask`, but fails unless the code is below 400. */
  ok<T = DynamicObject>(method: Method, path: string, ask?: Ask): Promise<T>;
  /** Like `ask`, but fails unless the code is 400 or above. */
  fails(method: Method, path: string, ask?: Ask): Promise<Status>;
  watch(path: string, query?: Record<string, string>, ask?: Ask): Promise<Recording>;
}

function describe({ type, object }: OutgoingEvent): string {
  const { metadata: meta, reason } = object as { metadata?: { name?: string; annotations?: object }; reason?: string };
  if (type === 'ERROR') return `ERROR ${reason}`;
  if (type !== 'BOOKMARK') return `${type} ${meta?.name}`;
  return meta?.annotations ? 'BOOKMARK end' : 'BOOKMARK';
}

function record(stream: WatchStream): Recording {
  const batches: (readonly OutgoingEvent[])[] = [];
  let events: OutgoingEvent[] = [];
  let ended = false;
  stream.start(
    (batch) => {
      batches.push(batch);
      events.push(...batch);
    },
    () => {
      ended = true;
    },
  );
  return {
    get events() {
      return events;
    },
    batches,
    take() {
      const texts = events.map(describe);
      events = [];
      return texts;
    },
    get ended() {
      return ended;
    },
    cancel: () => stream.cancel(),
  };
}

/** @param options parts of the server to replace; kinds are added to the small ones */
export async function createTestApi(
  options: Partial<ApiServerOptions> & { readonly resources?: readonly ResourceInfo[] } = {},
): Promise<TestApi> {
  const clock = new VirtualClock();
  const storage = await openStorage({ clock, log: silentLogger, fsync: 'off' });
  const server = createApiServer({
    storage,
    registry: createRegistry([...testResources, ...(options.resources ?? [])]),
    clock,
    random: seededRandom(7),
    log: silentLogger,
    ...options,
  });
  const user = { name: 'tester', groups: ['system:masters'] };
  const handle = (method: Method, path: string, ask: Ask = {}) =>
    server.handle({ user, userAgent: 'test/1', ...ask, method, path });
  const ask = async (method: Method, path: string, rest?: Ask): Promise<Answer> => {
    const response = await handle(method, path, rest);
    if (response.kind === 'watch') throw new Error(`${method} ${path} answered a watch`);
    return {
      code: response.code,
      body: response.body,
      warnings: response.kind === 'object' ? (response.warnings ?? []) : [],
    };
  };
  return {
    server,
    storage,
    clock,
    ask,
    async ok<T>(method: Method, path: string, rest?: Ask) {
      const { code, body } = await ask(method, path, rest);
      if (code >= 400) throw new Error(`${method} ${path} answered ${code}: ${JSON.stringify(body)}`);
      return body as T;
    },
    async fails(method, path, rest) {
      const { code, body } = await ask(method, path, rest);
      if (code < 400) throw new Error(`${method} ${path} answered ${code}, not a failure: ${JSON.stringify(body)}`);
      return body as Status;
    },
    async watch(path, query = {}, rest = {}) {
      const response = await handle('GET', path, { ...rest, query: { ...query, watch: 'true' } });
      if (response.kind !== 'watch') throw new Error(`watch of ${path} was refused: ${JSON.stringify(response.body)}`);
      return record(response.stream);
    },
  };
}

/** Names of a list's items. */
export function names(list: KubeList<DynamicObject>): string[] {
  return list.items.map((item) => item.metadata.name);
}

export const configMaps = '/api/v1/namespaces/default/configmaps';
export const pods = '/api/v1/namespaces/default/pods';
export const deployments = '/apis/apps/v1/namespaces/default/deployments';
export const widgets = '/apis/example.com/v1/namespaces/default/widgets';
export const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

export function configMap(name: string, data: Record<string, string> = {}, meta: object = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...meta }, data };
}

export function widget(name: string, spec: object = {}, meta: object = {}) {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name, ...meta }, spec };
}

export function deployment(name: string, spec: object = {}, meta: object = {}) {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, ...meta }, spec };
}

export function pod(name: string, spec: object = {}, meta: object = {}) {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...meta }, spec };
}
