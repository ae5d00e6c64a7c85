import { PassThrough } from 'node:stream';
import { type Container, Pod, type PodSpec, Service } from '@coxswain/k8s';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAll, type TestRuntime, testRuntime } from '../../process/test-pod.ts';
import type { PodSandbox } from '../../runtime.ts';
import { eventually, TestNetwork } from '../test-network.ts';
import { namespacesAllowed, whyNot } from './test-allowed.ts';

let world: TestNetwork;
let processes: TestRuntime;
beforeEach(async ({ skip }) => {
  skip(!namespacesAllowed, whyNot);
  world = await TestNetwork.start({}, { podCIDR: '10.77.0.0/16' });
  processes = await testRuntime({ network: world.network });
});
afterEach(async () => {
  await processes?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

interface Started {
  readonly sandbox: PodSandbox;
  readonly ip: string;
  /** Runs a program of Node in the pod, and answers what it writes. */
  run(program: string): Promise<string>;
}

/** Says the pod's name and who connects, at every address the pod has. */
const serving = (name: string) =>
  `require('net').createServer((s) => s.end('${name} ' + s.remoteAddress)).listen(8080, '0.0.0.0')`;

/** Starts a pod of which the program is one of Node. */
async function start(name: string, spec: Partial<PodSpec> = {}, annotations = {}): Promise<Started> {
  const container: Container = { name: 'main', image: 'node', command: ['node', '-e', serving(name)] };
  const pod = await world.create(Pod, {
    metadata: { name, labels: { app: name }, annotations },
    spec: { nodeName: 'node-1', containers: [container], ...spec },
  });
  const sandbox = await processes.runtime.createSandbox(pod);
  const image = await sandbox.pullImage(container);
  const { command = [] } = container;
  const running = await sandbox.start({ pod, container, image, env: {}, attempt: 0, onExit: () => {}, command });
  return {
    sandbox,
    ip: sandbox.addresses[0],
    async run(program) {
      const [stdout, stderr] = [new PassThrough(), new PassThrough()];
      const both = Promise.all([readAll(stdout), readAll(stderr)]);
      await running.exec(['node', '-e', program], false, { stdout, stderr, signal: new AbortController().signal });
      stdout.end();
      stderr.end();
      return (await both).join('').trim();
    },
  };
}

/** What is said at an address, or why nothing is; `late` when a kernel that hears nothing would ask for the fourth time. */
const asking = (host: string, port: number) =>
  `setTimeout(() => { console.log('late'); process.exit(); }, 6000).unref();
  require('net').connect(${port}, '${host}').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))`;

test("pods have addresses of the range, and programs that listen at 0.0.0.0 are in nobody's way", async () => {
  expect((await world.network.joinNode('node-1')).podRange).toBe('10.77.0.0/24');
  const [a, b] = [await start('a'), await start('b')];
  expect([a.ip, b.ip]).toEqual(['10.77.0.1', '10.77.0.2']);
  expect(await eventually(async () => told(await a.run(asking(b.ip, 8080))))).toBe('b 10.77.0.1');
  expect(await a.run(asking('127.0.0.1', 8080))).toBe('a 127.0.0.1');
  expect(await b.run(asking('b', 8080))).toBe('b 10.77.0.2');
});

test('pods that go leave the others as they were', async () => {
  const [a, ...others] = await Promise.all(['a', 'b', 'c', 'd'].map((name) => start(name)));
  if (!a) throw new Error('no pod');
  for (const { ip } of others) await eventually(async () => told(await a.run(asking(ip, 8080))));
  while (others.length > 1) {
    await others.shift()?.sandbox.remove();
    for (const { ip } of others) expect(await a.run(asking(ip, 8080))).toMatch(/^[cd] /);
  }
});

test('an address leads to the pod that has it now, also for those who have met the one before', async () => {
  const a = await start('a');
  const annotations = { 'coxswain.io/pod-ip': '10.77.0.50' };
  for (const name of ['first', 'second']) {
    const { sandbox } = await start(name, {}, annotations);
    for (let i = 0; i < 3; i++)
      expect(await eventually(async () => told(await a.run(asking('10.77.0.50', 8080))))).toBe(`${name} ${a.ip}`);
    await sandbox.remove();
  }
});

test('names, Services and the API server are there for all', async () => {
  const [a, b] = [await start('a'), await start('b')];
  const { spec } = await world.service('b', { ports: [{ port: 80, targetPort: 8080 }] });
  const ips = [{ ip: b.ip }];
  const status = { phase: 'Running', podIP: b.ip, podIPs: ips, conditions: [{ type: 'Ready', status: 'True' }] };
  await world.setStatus('b', status);
  expect(await eventually(async () => told(await a.run(asking('b.default.svc.cluster.local', 80))))).toMatch(/^b /);
  expect(await world.ask(spec?.clusterIP ?? '', 80)).toMatch(/^b /);
  const kubernetes = await world.client.of(Service).get({ namespace: 'default', name: 'kubernetes' });
  const version = `require('https').get({ host: 'kubernetes.default', port: ${kubernetes.spec?.ports?.[0]?.port}, path: '/version', rejectUnauthorized: false },
    (answer) => answer.on('data', (d) => console.log(JSON.parse(d).major)))`;
  expect(await a.run(version)).toBe('1');
});

test('a pod on the network of its node has that', async () => {
  const { address } = await world.network.joinNode('node-1');
  const pod = await processes.runtime.createSandbox(
    await world.create(Pod, {
      metadata: { name: 'host' },
      spec: { nodeName: 'node-1', hostNetwork: true, containers: [{ name: 'main', image: 'node' }] },
    }),
  );
  expect(pod.addresses).toEqual([address]);
});

/** What came of it is no error. */
function told(answer: string): string {
  if (/^[A-Z]+$/.test(answer)) throw new Error(answer);
  return answer;
}
