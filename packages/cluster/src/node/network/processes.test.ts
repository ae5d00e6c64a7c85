import { spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { Pod, Service } from '@coxswain/k8s';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAll, type TestRuntime, testRuntime } from '../process/test-pod.ts';
import { TestNetwork } from './test-network.ts';

let world: TestNetwork;
let processes: TestRuntime;
beforeEach(async () => {
  world = await TestNetwork.start();
  processes = await testRuntime({ network: world.network });
});
afterEach(async () => {
  await processes[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const container = { name: 'main', image: 'node', command: ['sleep', '1000'] };

/** Starts a pod, and answers how programs run in it. */
async function pod(name: string, annotations: Readonly<Record<string, string>> = {}) {
  const made = await world.create(Pod, {
    metadata: { name, labels: { app: name }, annotations },
    spec: { nodeName: 'node-1', containers: [container], hostname: name, subdomain: 'pods' },
  });
  const sandbox = await processes.runtime.createSandbox(made);
  const image = await sandbox.pullImage(container);
  const running = await sandbox.start({
    pod: made,
    container,
    image,
    env: {},
    attempt: 0,
    onExit: () => {},
    command: container.command,
  });
  return async (program: string): Promise<string> => {
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    const both = Promise.all([readAll(stdout), readAll(stderr)]);
    await running.exec(['node', '-e', program], false, { stdout, stderr, signal: new AbortController().signal });
    stdout.end();
    stderr.end();
    return (await both).join('').trim();
  };
}

const lookup = (name: string) =>
  `require('dns').lookup('${name}', { family: 4 }, (error, address) => console.log(error?.code ?? address))`;

// Port 53 and files that are mounted over the machine's.
const allowed = process.getuid?.() === 0 && spawnSync('unshare', ['-nm', 'true']).status === 0;

test.runIf(allowed).each([
  ['with an address of the machine', undefined],
  ['with a declared address', '192.168.5.5'],
])('programs in a pod %s know the names of Services and their own', async (_what, declared) => {
  const { spec } = await world.service('web', { ports: [{ port: 80 }] });
  const run = await pod('db-0', declared ? { 'coxswain.io/pod-ip': declared } : {});
  const own = declared ?? expect.stringMatching(/^127\.\d+\.1\.1$/);
  for (const name of ['web', 'web.default', 'web.default.svc', 'web.default.svc.cluster.local'])
    expect(await run(lookup(name)), name).toBe(spec?.clusterIP);
  expect(await run(lookup('kubernetes'))).toMatch(/\.0\.1$/);
  expect(await run(lookup('nothing.default.svc.cluster.local.'))).toBe('ENOTFOUND');
  for (const name of ['db-0', 'db-0.pods.default.svc.cluster.local'])
    expect(await run(lookup(name)), name).toEqual(own);
  expect(await run(`console.log(require('os').hostname())`)).toBe('db-0');
  const kubernetes = await world.client.of(Service).get({ namespace: 'default', name: 'kubernetes' });
  expect(kubernetes.spec?.clusterIP).toBe(await run(lookup('kubernetes.default')));
  const version = `require('https').get({ host: 'kubernetes.default', path: '/version', rejectUnauthorized: false },
    (answer) => answer.on('data', (d) => console.log(JSON.parse(d).major)))`;
  expect(await run(version)).toBe('1');
});
