import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Service } from '@coxswain/k8s';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually, TestNetwork } from '../test-network.ts';
import type { PodAttachment } from '../types.ts';
import { namespacesAllowed as allowed } from './test-allowed.ts';

let world: TestNetwork;
const running: ReturnType<typeof spawn>[] = [];
beforeEach(async () => {
  world = await TestNetwork.start();
});
afterEach(async () => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  await world[Symbol.asyncDispose]();
});

const declaring = (address: string, app: string) => ({
  labels: { app },
  annotations: { 'cni.projectcalico.org/ipAddrs': JSON.stringify([address]) },
});

/** Runs a program of Node in the namespaces of a pod; answers what it writes. */
function run(
  { namespaces }: PodAttachment,
  program: string,
): { readonly output: Promise<string>; line: Promise<string> } {
  const user = namespaces?.user ? [`--user=${namespaces.user}`, '--preserve-credentials'] : [];
  const child = spawn('nsenter', [...user, `--net=${namespaces?.network}`, process.execPath, '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  let text = '';
  const line = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('\n')) resolve(text);
    });
  });
  const output = new Promise<string>((resolve) => child.once('close', () => resolve(text.trim())));
  return { output, line };
}

/** A server that answers with a name and the address of who connects. */
const serving = (name: string) =>
  `require('net').createServer((s) => s.end('${name} ' + s.remoteAddress)).listen(8080, '0.0.0.0', () => console.log('up'))`;
const asking = (host: string, port: number) =>
  `require('net').connect(${port}, '${host}').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.message))`;

test.runIf(allowed)('pods with declared addresses reach each other, Services and names, and are reached', async () => {
  const first = await world.pod('a', {}, declaring('192.168.1.10', 'a'));
  const second = await world.pod('b', {}, declaring('192.168.1.11', 'b'));
  expect([first.ip, second.ip]).toEqual(['192.168.1.10', '192.168.1.11']);
  for (const [pod, name] of [
    [first, 'a'],
    [second, 'b'],
  ] as const)
    await run(pod, serving(name)).line;
  // each other, under their own addresses
  expect(await run(first, asking(second.ip, 8080)).output).toBe('b 192.168.1.10');
  // from outside
  const signal = new AbortController().signal;
  const connection = await second.dial(8080, signal);
  let answer = '';
  for await (const chunk of connection) answer += String(chunk);
  expect(answer).toMatch(/^b /);
  await expect(second.dial(1, signal)).rejects.toThrow('dial tcp 192.168.1.11:1: connect: connection refused');
  // a Service, from the machine and from a pod
  const { spec } = await world.service('b', { ports: [{ port: 8000, targetPort: 8080 }] });
  const address = spec?.clusterIP ?? '';
  expect(await eventually(() => world.ask(address, 8000))).toMatch(/^b /);
  expect(await run(first, asking(address, 8000)).output).toMatch(/^b /);
  // by name
  const resolv = await readFile(first.files.resolvConf, 'utf8');
  const server = /^nameserver (\S+)/m.exec(resolv)?.[1] ?? '';
  const lookup = `const r = new (require('dns').promises.Resolver)(); r.setServers(['${server}']);
    r.resolve4('b.default.svc.cluster.local').then((found) => console.log(found.join()), (e) => console.log(e.message))`;
  expect(await run(first, lookup).output).toBe(address);
});

test.runIf(allowed)(
  'pods with declared addresses reach the API server and pods with others, through Services',
  async () => {
    const pod = await world.pod('a', {}, declaring('192.168.1.10', 'a'));
    const plain = await world.pod('web');
    await world.listen(plain.ip, 8080, (socket) => socket.end('plain'));
    const { spec } = await world.service('web', { ports: [{ port: 8000, targetPort: 8080 }] });
    expect(await eventually(() => run(pod, asking(spec?.clusterIP ?? '', 8000)).output)).toBe('plain');
    const kubernetes = await world.client.of(Service).get({ namespace: 'default', name: 'kubernetes' });
    const version = `require('https').get({ host: '${kubernetes.spec?.clusterIP}', port: ${kubernetes.spec?.ports?.[0]?.port}, path: '/version', rejectUnauthorized: false },
    (answer) => answer.on('data', (d) => console.log(JSON.parse(d).major)))`;
    expect(await run(pod, version).output).toBe('1');
  },
);

test.runIf(allowed)('without privileges the network belongs to the user namespace that pods live in', async () => {
  const keeper = spawn('unshare', ['--user', '--map-root-user', 'cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
  running.push(keeper);
  keeper.stdin.write('\n');
  await once(keeper.stdout, 'data');
  world.user = `/proc/${keeper.pid}/ns/user`;
  const first = await world.pod('a', {}, declaring('192.168.1.10', 'a'));
  const second = await world.pod('b', {}, declaring('192.168.1.11', 'b'));
  expect([first.namespaces?.user, second.namespaces?.user]).toEqual([world.user, world.user]);
  await run(second, serving('b')).line;
  expect(await run(first, asking(second.ip, 8080)).output).toBe('b 192.168.1.10');
});

test.runIf(allowed)('an address that was given back serves the next pod at once', async () => {
  for (const name of ['a', 'b', 'c']) {
    const pod = await world.pod(name, {}, declaring('192.168.1.10', 'x'));
    await run(pod, serving(name)).line;
    const connection = await pod.dial(8080, new AbortController().signal);
    let answer = '';
    for await (const chunk of connection) answer += String(chunk);
    expect(answer).toMatch(new RegExp(`^${name} `));
    await pod.detach();
    for (const child of running.splice(0)) child.kill('SIGKILL');
  }
});

test.runIf(allowed)('nothing of the machine changes, and nothing is left', async () => {
  const state = () => spawnSync('sh', ['-c', 'ip -o addr; ip route; ip -o link | cut -d: -f2']).stdout.toString();
  const before = state();
  const pod = await world.pod('a', {}, declaring('192.168.1.10', 'a'));
  expect(state()).toBe(before);
  const keeper = /\/proc\/(\d+)\//.exec(pod.namespaces?.network ?? '')?.[1];
  await world.network.close();
  await eventually(() => expect(readFile(`/proc/${keeper}/stat`)).rejects.toThrow());
  expect(state()).toBe(before);
});

test('where namespaces are not allowed the pod says so', async () => {
  const path = process.env['PATH'];
  process.env['PATH'] = '/nowhere';
  try {
    await expect(world.pod('a', {}, declaring('192.168.1.10', 'a'))).rejects.toMatchObject({
      reason: 'FailedCreatePodSandBox',
      message: expect.stringMatching(
        /^address 192\.168\.1\.10 is not one of 127\.0\.0\.0\/8, and so takes a network namespace: this machine does not allow network namespaces \(.*\)$/,
      ),
    });
  } finally {
    process.env['PATH'] = path;
  }
});
