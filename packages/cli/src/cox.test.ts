/** The command line as its users have it: a process of its own. */
import { stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, type TestCox, testCox, untilEnded } from './test-cox.ts';

let world: TestCox;
let dir: string;

beforeAll(async () => {
  world = await testCox();
  dir = world.dir;
});
afterAll(() => world[Symbol.asyncDispose]());

const coxAt = (home: string, ...args: string[]): Promise<Ended> =>
  world.run(args, { env: { ...process.env, COX_HOME: home } });
const cox = (...args: string[]): Promise<Ended> => world.run(args);

async function manifest(name: string, text: string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, text);
  return path;
}

describe('cox up', () => {
  it('brings the MatrixOne example to Ready and says so last', async () => {
    const { code, stdout, stderr } = await cox('up', '--once', '--wait');
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^ready: matrixonecluster\/mo in \d+\.\d+s$/);
    expect(stdout).toMatch(/Pod\/mo-log-2 {2}Ready/);
    expect(stdout).not.toMatch(/gone/);
  });

  it('names the unmet condition when the time is up', async () => {
    const file = await manifest(
      'stuck.yaml',
      `apiVersion: core.matrixorigin.io/v1alpha1
kind: MatrixOneCluster
metadata: {name: stuck}
spec:
  version: 2.1.0
  imageRepository: invalid./matrixone
  logService:
    replicas: 1
    volume: {size: 1Gi}
    sharedStorage: {fileSystem: {path: /data}}
  tn: {replicas: 1, cacheVolume: {size: 1Gi}}
`,
    );
    const { code, stderr } = await cox('up', '-f', file, '--once', '--wait', '--timeout', '2s');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /not ready after 2s:\nmatrixonecluster\/stuck: condition Ready is False: LogServiceNotReady: /,
    );
  });
});

describe('what is waited for', () => {
  const configured = (name: string) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  containers:
  - name: main
    image: app:1
    envFrom: [{secretRef: {name: nowhere}}]
`;

  it('names the deepest object that is not ready, and why', async () => {
    const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {nodeSelector: {disk: none}, containers: [{name: main, image: app:1}]}
`;
    const file = await manifest('waiting.yaml', `${configured('conf')}---\n${deployment}`);
    const { code, stderr } = await cox('up', '-f', file, '--once', '--wait', '--timeout', '900ms');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: not ready after 900ms:\n/);
    expect(stderr).toMatch(/deployment\/web: .*\n {2}Pod\/web-\w+-\w+: Unschedulable: 0\/3 nodes/);
    expect(stderr).toMatch(/pod\/conf: /);
  });

  it('leaves out what nobody here works on, and says so', async () => {
    const file = await manifest(
      'scaler.yaml',
      `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: agent}
spec:
  maxReplicas: 3
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: agent}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: fine}
`,
    );
    const { code, stdout } = await cox('up', '-f', file, '--once', '--wait');
    expect(code).toBe(0);
    expect(stdout).toMatch(/HorizontalPodAutoscaler\/agent {2}not simulated\n/);
    expect(stdout).toMatch(
      /\nnot simulated here: horizontalpodautoscaler\/agent\nready: configmap\/fine in \d\.\ds\n$/,
    );
  });
});

describe('a command line', () => {
  it('explains itself', async () => {
    const { code, stdout } = await cox('--help');
    expect(code).toBe(0);
    for (const word of ['./cox test', './cox lint', './cox bench', 'COX_HOME']) expect(stdout).toContain(word);
    expect((await cox('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const help = (await cox('up', '--help')).stdout.replaceAll(/\s+/g, ' ');
    expect(help).toContain('a bare number is seconds (default: 120s)');
  });

  it('ends quietly, with all that runs, when nobody reads it any more', async () => {
    const child = world.start(['up', '--name', 'unread']);
    const ended = untilEnded(child);
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    expect((await cox('cluster', 'status', '--name', 'unread')).code).toBe(1);
  });

  it('looks at a cluster without making anything', async () => {
    const home = join(dir, 'untouched');
    expect((await coxAt(home, 'cluster', 'status')).code).toBe(1);
    expect((await coxAt(home, 'cluster', 'stop')).stdout).toBe('no cluster named default is running\n');
    await expect(stat(home)).rejects.toThrow('ENOENT');
  });
});

describe('input that cannot be used ends with 2, one clear message, and nothing applied', () => {
  it.each([
    [
      'a file that is not there',
      () => ['-f', join(dir, 'nope.yaml')],
      /^error: cannot read .*nope\.yaml: no such file or folder\n$/,
    ],
    [
      'an unknown level',
      () => ['--log-level', 'loud'],
      /'loud' is invalid\. Allowed choices are error, warn, info, debug/,
    ],
    ['an unknown flag', () => ['--bogus'], /unknown option '--bogus'/],
    ['a bad duration', () => ['--timeout', 'soon'], /must be a duration such as 90s/],
  ])('%s', async (_what, args, message) => {
    const given = args();
    const { code, stderr } = await cox(...(given[0] === '--log-level' ? [...given, 'up'] : ['up', '--once', ...given]));
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  it('broken YAML, with file, line and column', async () => {
    const file = await manifest('broken.yaml', 'apiVersion: v1\nkind: [\n');
    const { code, stderr } = await cox('up', '-f', file, '--once');
    expect(stderr).toMatch(/broken\.yaml:\d+:\d+: not valid YAML/);
    expect(code).toBe(2);
  });

  it('an unknown kind, with what there is', async () => {
    const file = await manifest(
      'unknown.yaml',
      'apiVersion: core.matrixorigin.io/v1alpha1\nkind: LogSett\nmetadata: {name: x}\n',
    );
    const { code, stderr } = await cox('up', '-f', file, '--once');
    expect(stderr).toMatch(
      /unknown\.yaml:2: unknown kind "LogSett" in "core\.matrixorigin\.io\/v1alpha1" \(.*LogSet.*\)\nnothing was applied/,
    );
    expect(code).toBe(2);
  });

  it('a schema violation, with place, field, what was given and what is allowed', async () => {
    const file = await manifest(
      'invalid.yaml',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fine}\n---\napiVersion: core.matrixorigin.io/v1alpha1\nkind: LogSet\nmetadata: {name: x}\nspec:\n  replicas: three\n  volume: {size: 1Gi}\n  sharedStorage: {}\n',
    );
    const { code, stderr } = await cox('up', '-f', file, '--once');
    expect(stderr).toMatch(/invalid\.yaml:9: logset\/x: spec\.replicas: Invalid value: .*integer/);
    expect(stderr).toMatch(/nothing was applied/);
    expect(code).toBe(2);
  });

  it('a port in use', async () => {
    const blocker = createServer();
    const port = await new Promise<number>((resolve) => {
      blocker.listen(0, '127.0.0.1', () => {
        const address = blocker.address();
        resolve(typeof address === 'object' && address ? address.port : 0);
      });
    });
    const { code, stderr } = await cox('up', '--once', '--port', String(port));
    blocker.close();
    expect(stderr).toMatch(new RegExp(`^error: .*${port}.* in use`));
    expect(code).toBe(2);
  });

  it('a pod network that cannot be', async () => {
    const { code, stderr } = await cox('up', '--once', '--pod-network', 'namespaces');
    expect(stderr).toBe(
      'error: pods have network namespaces on process-backed nodes only, and there are none: ask for some\n',
    );
    expect(code).toBe(2);
  });

  it('a home that cannot be', async () => {
    const { code, stderr } = await coxAt('/proc/nowhere', 'up', '--once');
    expect(stderr).toMatch(
      /^error: cannot make the folder \/proc\/nowhere\/default: no such file or folder; set COX_HOME to a folder/,
    );
    expect(code).toBe(2);
  });

  it('a kubeconfig that cannot be written', async () => {
    const { code, stderr } = await cox('up', '--once', '--kubeconfig', '/proc/nowhere/config');
    expect(stderr).toMatch(/^error: cannot write the kubeconfig \/proc\/nowhere\/config: /);
    expect(code).toBe(2);
  });

  it('a home that is nowhere', async () => {
    const env = { PATH: process.env['PATH'], HOME: '' };
    const { code, stderr } = await world.run(['up', '--once'], { env, cwd: dir });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: there is no home folder .*COX_HOME/);
    await expect(stat(join(dir, '.coxswain'))).rejects.toThrow('ENOENT');
  });

  it('a data-dir that holds other things', async () => {
    const { code, stderr } = await cox('up', '--once', '--data-dir', fileURLToPath(new URL('.', import.meta.url)));
    expect(stderr).toMatch(/^error: --data-dir .* has other things in it \(/);
    expect(code).toBe(2);
  });

  it('a data-dir that is a file', async () => {
    const file = await manifest('file', '');
    const { code, stderr } = await cox('up', '--once', '--data-dir', file);
    expect(stderr).toMatch(/^error: --data-dir .*file is a file; give a folder/);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(code).toBe(2);
  });
});
