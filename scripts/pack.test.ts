import { type ChildProcess, spawn } from 'node:child_process';
import { access, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ConfigMap } from '@coxswain/k8s';
import { startTestCluster } from '@coxswain/testing';
import { endsWithParent } from '@coxswain/testing/processes';
import { afterEach, expect, test } from 'vitest';
import { Guest } from '../examples/greeter/greeter.ts';
import { root } from './run.ts';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>;
}

const tools = [join(root, 'node_modules/.bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function start(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(...endsWithParent(program, args), {
    cwd,
    env: { ...process.env, PATH: tools, ...env },
    stdio: 'pipe',
  });
  closers.push(() => child.kill('SIGKILL'));
  return child;
}

/** Ends well, or fails with what was printed. @returns what was printed */
async function ended(child: ChildProcess): Promise<string> {
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (printed += chunk));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  expect(code, printed).toBe(0);
  return printed;
}

/** A project outside of the repository that has installed the tarballs, and of other packages only what they say they need. */
async function projectWith(tarballs: string): Promise<{ readonly project: string; readonly manifests: Manifest[] }> {
  const project = join(tarballs, 'project');
  await cp(join(root, 'examples/greeter'), project, { recursive: true });
  const manifests: Manifest[] = [];
  for (const file of (await readdir(tarballs)).filter((name) => name.endsWith('.tgz'))) {
    const folder = join(project, 'node_modules/@coxswain', /coxswain-(\w+)-/.exec(file)?.[1] ?? '');
    await mkdir(folder, { recursive: true });
    await ended(start('tar', ['-xzf', join(tarballs, file), '--strip-components=1', '-C', folder], tarballs));
    manifests.push(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
  }
  const needed = new Set(manifests.flatMap(({ dependencies = {} }) => Object.keys(dependencies)));
  const own = new Set(manifests.map(({ name }) => name));
  // tools of tests are for the project to bring
  for (const name of [...needed, '@types/node', 'fast-check', 'vitest'].filter((each) => !own.has(each))) {
    await mkdir(dirname(join(project, 'node_modules', name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name));
  }
  return { project, manifests };
}

// A minute of two cores: `./cox test framework` asks for it.
const isWanted = process.env['COX_PACK'] !== undefined;
test.runIf(isWanted)(
  'a project of its own installs what is packed: it compiles, every door opens, and its operator works',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'coxswain-pack-'));
    closers.push(() => rm(folder, { recursive: true, force: true }));
    await ended(start(process.execPath, [join(root, 'scripts/pack.ts'), folder], root));
    const { project, manifests } = await projectWith(folder);
    expect(manifests.map(({ name }) => name).sort()).toEqual(
      ['cluster', 'k8s', 'runtime', 'schema', 'testing'].map((name) => `@coxswain/${name}`),
    );
    const doors = manifests.flatMap(({ name, exports }) => Object.keys(exports).map((door) => join(name, door)));
    for (const { name, exports } of manifests)
      for (const { types } of Object.values(exports)) await access(join(project, 'node_modules', name, types));
    const opening = `for (const door of ${JSON.stringify(doors)}) await import(door);`;
    const world = `const world = await (await import('@coxswain/testing')).startTestCluster({ server: 'embedded' }); await world.stop();`;
    await writeFile(join(project, 'doors.mjs'), `${opening}\n${world}\n`);
    await ended(start(process.execPath, ['doors.mjs'], project));
    await ended(start('tsc', ['-p', project], project));

    await using cluster = await startTestCluster({ server: 'embedded', http: true });
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, cluster.kubeconfig());
    const operator = start(process.execPath, ['main.ts'], project, { KUBECONFIG: kubeconfig });
    const end = ended(operator);
    const key = { namespace: cluster.namespace, name: 'ada' };
    const guest = { metadata: key, spec: { name: 'Ada', word: 'Hello' } };
    await Promise.race([end, cluster.eventually(() => cluster.client.of(Guest).create(guest))]);
    const map = await cluster.until(ConfigMap, key, (object) => object !== undefined);
    expect(map?.data).toEqual({ text: 'Hello Ada' });
    operator.kill('SIGTERM');
    expect(await end).toContain('controllers run');
  },
  600_000,
);
