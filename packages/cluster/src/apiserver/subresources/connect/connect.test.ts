import { Duplex, duplexPair, PassThrough } from 'node:stream';
import type { Status } from '@coxswain/k8s';
import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { beforeEach, expect, test } from 'vitest';
import { openStorage } from '../../../storage/index.ts';
import { type Authorizer, alwaysAllow } from '../../authorization/index.ts';
import { bootstrapCluster } from '../../bootstrap/index.ts';
import { builtinResources, createRegistry } from '../../builtin/index.ts';
import {
  type CommandRequest,
  type ContainerReference,
  type LogOptions,
  type NodeConnection,
  NodeRefusal,
} from '../../nodes.ts';
import { createApiServer } from '../../server.ts';
import type { CommandSession, PortForwardSession } from '../../streams.ts';
import type { AdmissionAttributes, ApiRequest, ApiResponse, ApiServer } from '../../types.ts';
import { nodeSubresources } from '../index.ts';
import { join } from './join.ts';

const clock = new VirtualClock();
const pods = '/api/v1/namespaces/default/pods';
let server: ApiServer;
let asked: unknown[];
let admitted: AdmissionAttributes[];
let refusal: Error | undefined;
let may: (verb: string) => boolean;

async function* bytes(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

const note = <T>(what: unknown, answer: T): T => {
  asked.push(what);
  if (refusal) throw refusal;
  return answer;
};

const node: NodeConnection = {
  logs: async (container: ContainerReference, options: LogOptions) =>
    note({ container: container.container, options }, bytes('a', 'b')),
  exec: async (request: CommandRequest) =>
    note(request, async ({ stdout }) => {
      stdout?.write('out');
      if (request.command[0] === 'burst') throw new Error('no such program');
      return Number(request.command[0] ?? 0);
    }),
  attach: async (request) => note(request, async () => 3),
  dial: async (pod, port) => note({ pod: pod.name, port }, Duplex.from(['answer'])),
  dialNode: async () => Duplex.from([]),
};

beforeEach(async () => {
  asked = [];
  admitted = [];
  refusal = undefined;
  may = () => true;
  const random = seededRandom(1);
  const storage = await openStorage({ clock, log: silentLogger, fsync: 'off' });
  const registry = createRegistry(builtinResources());
  const authorizer: Authorizer = {
    ...alwaysAllow,
    authorize: (_user, { verb }) => ({ allowed: may(verb), reason: '' }),
  };
  server = createApiServer({
    storage,
    registry,
    clock,
    random,
    log: silentLogger,
    authorizer,
    admission: [
      {
        name: 'notes',
        admit: (attributes) => {
          if (attributes.operation === 'CONNECT') admitted.push(attributes);
        },
      },
    ],
    ...nodeSubresources({ nodes: new Map([['n', node]]), clock, random }),
  });
  bootstrapCluster({ registry, storage, clock, random }, { certificateAuthority: 'PEM' });
  const containers = [
    { name: 'main', image: 'i' },
    { name: 'side', image: 'i' },
  ];
  const ask = (path: string, body: object) => server.handle({ method: 'POST', path, user, body });
  await ask('/api/v1/nodes', { metadata: { name: 'n' }, status: { addresses: [{ type: 'Hostname', address: 'n' }] } });
  await ask(pods, { metadata: { name: 'p', uid: 'u' }, spec: { nodeName: 'n', containers } });
});

const user = { name: 'ann', groups: [] };

function get(path: string, query: Readonly<Record<string, string>> = {}, more: Partial<ApiRequest> = {}) {
  return server.handle({ method: 'GET', path: `${pods}/${path}`, user, query, upgrade: true, ...more });
}

function statusIn(answer: ApiResponse): Status {
  if (answer.kind !== 'object') throw new Error(`answered ${answer.kind}`);
  return answer.body as Status;
}

async function sessionIn<S extends CommandSession | PortForwardSession>(answer: Promise<ApiResponse>): Promise<S> {
  const given = await answer;
  if (given.kind !== 'upgrade') throw new Error(`answered ${JSON.stringify(given)}`);
  return given.body as S;
}

test('logs are asked of the node, with every option', async () => {
  const query = { container: 'side', follow: 'true', previous: '', timestamps: '1', tailLines: '3', limitBytes: '9' };
  const answer = await get('p/log', { ...query, sinceSeconds: '60' });
  if (answer.kind !== 'bytes') throw new Error(`answered ${answer.kind}`);
  expect(answer).toMatchObject({ code: 200, headers: { 'Content-Type': 'text/plain' } });
  let text = '';
  for await (const chunk of answer.body) text += Buffer.from(chunk).toString();
  expect(text).toBe('ab');
  const options = { follow: true, previous: true, timestamps: true, tailLines: 3, limitBytes: 9 };
  expect(asked).toEqual([{ container: 'side', options: { ...options, since: clock.now() - 60_000 } }]);
  await get('p/log', { container: 'main', sinceTime: '2024-01-02T03:04:05.5+02:00' });
  const since = Date.parse('2024-01-02T01:04:05.500Z');
  expect(asked[1]).toEqual({
    container: 'main',
    options: { follow: false, previous: false, timestamps: false, since },
  });
  expect(admitted).toEqual([]);
});

test.each([
  [400, 'container "main" in pod "p" is waiting to start: trying', 'BadRequest'],
  [404, 'gone', 'NotFound'],
  [500, 'broken', 'InternalError'],
])('a node refuses a log with %i', async (code, message, reason) => {
  refusal = new NodeRefusal(code, message);
  const status = statusIn(await get('p/log', { container: 'main' }));
  expect(status).toMatchObject({ code, reason });
  if (code !== 404) expect(status.message).toContain(message);
});

test('a command tells its exit code', async () => {
  const command = (name: string) => ({ container: 'main', stdin: 'true', stdout: '1', stderr: '1', command: name });
  const out = new PassThrough();
  const run = async (session: CommandSession) => session.run({ stdout: out, signal: new AbortController().signal });
  const good = await sessionIn<CommandSession>(get('p/exec', command('0')));
  expect(good).toMatchObject({ stdin: true, stdout: true, stderr: true, tty: false });
  expect(await run(good)).toMatchObject({ status: 'Success' });
  expect(out.read()?.toString()).toBe('out');
  expect(asked[0]).toMatchObject({ namespace: 'default', name: 'p', container: 'main', command: ['0'] });
  expect(await run(await sessionIn(get('p/exec', command('7'))))).toMatchObject({
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: 'command terminated with non-zero exit code: error executing command [7], exit code 7',
    details: { causes: [{ reason: 'ExitCode', message: '7' }] },
  });
  await expect(run(await sessionIn(get('p/exec', command('burst'))))).rejects.toThrow(
    'Internal error occurred: error executing command in container: no such program',
  );
  // an attached program's exit code is its own business
  expect(await run(await sessionIn(get('p/attach', command(''))))).toMatchObject({ status: 'Success' });
});

test('several words of a command, and a terminal without an error stream', async () => {
  const query = { container: 'main', stdin: '1', stdout: '1', stderr: '1', tty: 'true', command: 'sh' };
  const session = await sessionIn<CommandSession>(get('p/exec', query, { repeated: { command: ['sh', '-c', 'x'] } }));
  expect(session).toMatchObject({ tty: true, stderr: false });
  expect(asked[0]).toMatchObject({ command: ['sh', '-c', 'x'], tty: true, stderr: false });
  expect(admitted[0]).toMatchObject({
    operation: 'CONNECT',
    subresource: 'exec',
    name: 'p',
    object: {
      kind: 'PodExecOptions',
      apiVersion: 'v1',
      container: 'main',
      command: ['sh', '-c', 'x'],
      stdin: true,
      stdout: true,
      stderr: true,
      tty: true,
    },
  });
});

test('what a node refuses before the upgrade is passed on as it is', async () => {
  refusal = new NodeRefusal(500, 'container not found ("main")');
  const query = { container: 'main', stdout: '1', command: 'ls' };
  expect(await get('p/exec', query)).toEqual({ kind: 'text', code: 500, body: 'container not found ("main")' });
  expect(await get('p/exec', { container: 'main', command: 'ls' })).toMatchObject({
    code: 400,
    body: 'you must specify at least 1 of stdin, stdout, stderr',
  });
});

test('who may only look may not go in', async () => {
  may = (verb) => verb === 'get';
  for (const name of ['exec', 'attach', 'portforward']) {
    const status = statusIn(await get(`p/${name}`, { container: 'main', stdout: '1' }));
    expect(status).toMatchObject({ code: 403, message: 'pods "p" is forbidden: ' });
  }
  expect((await get('p/log', { container: 'main' })).kind).toBe('bytes');
  // admission comes first
  expect(admitted).toHaveLength(3);
  expect(asked).toHaveLength(1);
});

test('ports of a pod are joined with those of the client', async () => {
  const session = await sessionIn<PortForwardSession>(get('p/portforward', { ports: '80,81' }));
  expect(session.ports).toEqual([80, 81]);
  const [client, far] = duplexPair();
  const connecting = session.connect(81, far, new AbortController().signal);
  client.end();
  let text = '';
  for await (const chunk of client) text += String(chunk);
  await connecting;
  expect(text).toBe('answer');
  expect(asked).toEqual([{ pod: 'p', port: 81 }]);
  refusal = new Error('dial tcp: refused');
  await expect(session.connect(9, duplexPair()[0], new AbortController().signal)).rejects.toThrow(
    /^error forwarding port 9 to pod p, uid [-0-9a-f]+: dial tcp: refused$/,
  );
});

test('a joined connection ends for both when either breaks off, and can be called off', async () => {
  const [client, near] = duplexPair();
  const [server, far] = duplexPair();
  const off = new AbortController();
  const joined = join(near, far, off.signal);
  client.write('to the server');
  for await (const chunk of server) {
    expect(String(chunk)).toBe('to the server');
    break;
  }
  off.abort();
  await expect(joined).rejects.toThrow('aborted');
  expect(near.destroyed && far.destroyed).toBe(true);
});
