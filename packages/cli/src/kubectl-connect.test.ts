/** The real kubectl and what is inside of pods: logs, commands, ports and pages, with programs that this test brings along. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Cluster, type ClusterProgram, kubectlFor, startCluster } from '@coxswain/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';

let cluster: Cluster;
let kubectl: ClusterProgram;
/** What the container has for a file system is in `root`; `here` is the user's own. */
let folder: string;

interface Streams {
  readonly stdin?: Readable;
  readonly stdout?: Writable;
}

/** The machine's tar, on the files of the container. */
function tar(args: readonly string[], { stdin, stdout }: Streams): Promise<number> {
  const inside = args.map((arg) => (arg.startsWith('/') ? arg.slice(1) : arg));
  const child = spawn('tar', inside, { cwd: join(folder, 'root'), stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => {});
  if (stdin) stdin.pipe(child.stdin);
  else child.stdin.end();
  child.stdout.on('data', (chunk) => stdout?.write(chunk));
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
}

const pages = createServer(({ url, headers }, response) => {
  response.setHeader('Content-Type', 'text/html');
  response.end(`<a href="/next">${url} for ${headers['x-forwarded-uri']}</a>\n`);
});
pages.on('upgrade', (_request, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  socket.pipe(socket);
});

/** A pod with two containers; the first of them has a program. */
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    containers: [
      { name: 'main', image: 'web:1', ports: [{ containerPort: 8080 }] },
      { name: 'idle', image: 'idle:1' },
    ],
  },
};
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coxswain-connect-'));
  mkdirSync(join(folder, 'root', 'data'), { recursive: true });
  cluster = await startCluster({
    port: 0,
    programs: (_pod, { name }) =>
      name === 'main'
        ? {
            start({ write }) {
              write('one\ntwo\nthr');
              write('ee\n');
              write('oops\n', 'stderr');
            },
            async exec({ command, tty, streams: { stdin, stdout, stderr } }) {
              if (command[0] === 'fail') {
                stderr?.write('bad luck\n');
                return 7;
              }
              const [program, ...args] = command;
              if (program === 'tar') return tar(args, { ...(stdin ? { stdin } : {}), ...(stdout ? { stdout } : {}) });
              if (program === 'test') return existsSync(join(folder, 'root', args[1] ?? '')) ? 0 : 1;
              let input = '';
              for await (const chunk of stdin ?? []) input += String(chunk);
              stdout?.write(`${tty ? 'terminal ' : ''}${command.join(' ')}: ${input}\n`);
              return 0;
            },
            async attach({ streams }) {
              streams.stdout?.write('joined\n');
            },
            ports: { 8080: (connection) => pages.emit('connection', connection) },
          }
        : undefined,
  });
  kubectl = await kubectlFor(cluster.kubeconfig());
  await kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [pod, service] }));
  await kubectl(['wait', 'pod/web', '--for=condition=Ready', '--timeout=30s']);
});
afterAll(async () => {
  await kubectl?.[Symbol.asyncDispose]();
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

it('shows logs', async () => {
  expect(await kubectl(['logs', 'web', '-c', 'main'])).toBe('one\ntwo\nthree\noops\n');
  expect(await kubectl(['logs', 'web', '-c', 'main', '--tail=2'])).toBe('three\noops\n');
  expect(await kubectl(['logs', 'web', '-c', 'main', '--limit-bytes=5'])).toBe('one\nt');
  expect(await kubectl(['logs', 'web', '-c', 'main', '--timestamps', '--tail=1'])).toMatch(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z oops\n$/,
  );
  // without a container kubectl takes the first, and says so
  expect(await kubectl(['logs', 'web', '--tail=1'])).toBe('oops\n');
  const all = await kubectl(['logs', 'web', '--all-containers', '--prefix', '--tail=1']);
  expect(all).toContain('[pod/web/main] oops\n');
  expect(all).toContain('[pod/web/idle] container idle of pod default/web is simulated: no program runs in it\n');
  const previous = await kubectl.try(['logs', 'web', '-c', 'main', '--previous']);
  expect(previous).toMatchObject({
    code: 1,
    stderr: 'Error from server (BadRequest): previous terminated container "main" in pod "web" not found\n',
  });
});

it('follows a log until the container ends', async () => {
  await kubectl(['run', 'short', '--image=main:1', '--restart=Never', '--', 'sleep', '2']);
  await kubectl(['wait', 'pod/short', '--for=jsonpath={.status.startTime}', '--timeout=30s']);
  expect(await kubectl(['logs', '-f', 'short'])).toMatch(/is simulated/);
});

it('runs commands', async () => {
  expect(await kubectl(['exec', 'web', '-c', 'main', '--', 'say', 'hello'])).toBe('say hello: \n');
  expect(await kubectl(['exec', '-i', 'web', '-c', 'main', '--', 'cat'], 'from here')).toBe('cat: from here\n');
  expect(await kubectl.try(['exec', 'web', '-c', 'main', '--', 'fail'])).toEqual({
    code: 7,
    stdout: '',
    stderr: 'bad luck\ncommand terminated with exit code 7\n',
  });
  const idle = await kubectl.try(['exec', 'web', '-c', 'idle', '--', 'sh']);
  expect(idle).toEqual({
    code: 126,
    stdout: '',
    stderr:
      'node node-1 is simulated: container idle of pod default/web runs no program that could execute ["sh"]\n' +
      'command terminated with exit code 126\n',
  });
  const unknown = await kubectl.try(['exec', 'web', '-c', 'other', '--', 'sh']);
  expect(unknown.stderr).toBe('Error from server (BadRequest): container other is not valid for pod web\n');
});

it('copies files to a container and back', async () => {
  const large = Buffer.alloc(1_500_000, 'coxswain ');
  await writeFile(join(folder, 'there'), large);
  await kubectl(['cp', '-c', 'main', join(folder, 'there'), 'web:/data/note']);
  expect((await readFile(join(folder, 'root', 'data', 'note'))).equals(large)).toBe(true);
  await kubectl(['cp', '-c', 'main', 'web:/data/note', join(folder, 'back')]);
  expect((await readFile(join(folder, 'back'))).equals(large)).toBe(true);
});

it('joins what runs', async () => {
  expect(await kubectl(['attach', 'web', '-c', 'main'])).toBe('joined\n');
  const idle = await kubectl.try(['attach', 'web', '-c', 'idle']);
  expect(idle.code).toBe(1);
  expect(idle.stderr).toContain('container idle of pod default/web runs no program to attach to');
});

it('forwards ports', async () => {
  const forward = kubectl.start(['port-forward', 'pod/web', ':8080', '--address', '127.0.0.1']);
  const [, port] = /127\.0\.0\.1:(\d+) -> 8080/.exec(await forward.until(/-> 8080/)) ?? [];
  for (const path of ['/a', '/b?c=d']) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    expect(await answer.text()).toBe(`<a href="/next">${path} for undefined</a>\n`);
  }
  await forward.stop();
  const closed = kubectl.start(['port-forward', 'pod/web', ':9', '--address', '127.0.0.1']);
  const [, other] = /127\.0\.0\.1:(\d+) -> 9/.exec(await closed.until(/-> 9/)) ?? [];
  await fetch(`http://127.0.0.1:${other}/`).catch(() => {});
  await closed.until(/error forwarding port 9 to pod web.*connection refused \(node node-1 is simulated\)/);
  await closed.stop();
});

it('speaks SPDY with clients that do', async () => {
  const env = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' };
  const older = await kubectlFor(cluster.kubeconfig(), env);
  try {
    expect(await older(['exec', '-i', 'web', '-c', 'main', '--', 'cat'], 'from here')).toBe('cat: from here\n');
    expect(await older.try(['exec', 'web', '-c', 'main', '--', 'fail'])).toMatchObject({ code: 7 });
    const unknown = await older.try(['exec', 'web', '-c', 'other', '--', 'sh']);
    expect(unknown.stderr).toBe('Error from server (BadRequest): container other is not valid for pod web\n');
    const forward = older.start(['port-forward', 'service/web', ':80', '--address', '127.0.0.1']);
    const [, port] = /127\.0\.0\.1:(\d+) -> 8080/.exec(await forward.until(/-> 8080/)) ?? [];
    const answer = await fetch(`http://127.0.0.1:${port}/a`);
    expect(await answer.text()).toContain('/a for undefined');
    await forward.stop();
  } finally {
    await older[Symbol.asyncDispose]();
  }
});

it('is a proxy to pods, services and nodes', async () => {
  const proxied = (rest: string) => `/api/v1/namespaces/default/${rest}`;
  const page = (prefix: string, path: string) =>
    `<a href="${prefix}/next">${path} for ${prefix}${path.replace(/\?.*/, '')}</a>\n`;
  const direct = proxied('pods/web:8080/proxy');
  expect(await kubectl(['get', '--raw', `${direct}/x?y=z`])).toBe(page(direct, '/x?y=z'));
  const first = proxied('pods/web/proxy');
  expect(await kubectl(['get', '--raw', `${first}/`])).toBe(page(first, '/'));
  const through = proxied('services/web:http/proxy');
  expect(await kubectl(['get', '--raw', `${through}/x/`])).toBe(page(through, '/x/'));
  const closed = await kubectl.try(['get', '--raw', proxied('pods/web:9/proxy/')]);
  expect(closed.stderr).toContain('error trying to reach service: dial tcp 10.244.');
  expect(await kubectl(['get', '--raw', '/api/v1/nodes/node-1/proxy/healthz'])).toBe('ok');
  const there = JSON.parse(await kubectl(['get', '--raw', '/api/v1/nodes/node-1/proxy/pods'])) as {
    items: { metadata: { name: string } }[];
  };
  expect(there.items.map(({ metadata }) => metadata.name)).toContain('web');
});

it('lets only those in who may create', async () => {
  await kubectl(['create', 'role', 'looker', '--verb=get', '--resource=pods,pods/exec,pods/log']);
  await kubectl(['create', 'rolebinding', 'ann-looks', '--role=looker', '--user=ann']);
  expect(await kubectl(['logs', 'web', '-c', 'main', '--tail=1', '--as', 'ann'])).toBe('oops\n');
  const refused = await kubectl.try(['exec', 'web', '-c', 'main', '--as', 'ann', '--', 'ls']);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain('pods "web" is forbidden');
});
