/**
 * `./cox pack [FOLDER]`: the packages as a project of one's own installs them: JavaScript and types, one tarball each, in FOLDER
 * (default `.cox/packed`). Node runs no TypeScript under `node_modules`, so the sources themselves cannot be installed.
 */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { root, run } from './run.ts';

/** Those that a project may need, each after what it depends on. */
const names = ['k8s', 'schema', 'runtime', 'cluster', 'testing'] as const;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** All packages at once, since they import each other. @param stage a folder of this run alone */
async function compile(stage: string): Promise<void> {
  const config = {
    extends: relative(stage, join(root, 'tsconfig.json')),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: root,
      outDir: join(stage, 'out'),
    },
    include: names.map((name) => join(root, 'packages', name, 'src')),
    exclude: ['**/*.test.ts'].map((pattern) => join(root, pattern)),
  };
  await writeFile(join(stage, 'tsconfig.json'), JSON.stringify(config));
  if ((await run('tsc', ['-p', join(stage, 'tsconfig.json')])) !== 0) throw new Error('the packages do not compile');
}

/** Types and files beside a module are still called `x.ts` in what the compiler makes. */
async function rename(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|d\.ts)$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const text = await readFile(file, 'utf8');
    const renamed = text.replace(/(['"])(\.{1,2}\/[^'"\n]*)\.ts\1/g, '$1$2.js$1');
    if (renamed !== text) await writeFile(file, renamed);
  }
}

/** The folder of one package as npm packs it. */
async function assemble(stage: string, name: string): Promise<string> {
  const source = join(root, 'packages', name);
  const folder = join(stage, name);
  await cp(join(stage, 'out/packages', name, 'src'), join(folder, 'dist'), { recursive: true });
  await rename(join(folder, 'dist'));
  // tables and scripts that modules read; what only tests read stays here
  await cp(join(source, 'src'), join(folder, 'dist'), {
    recursive: true,
    filter: (path) => !/\.ts$|\/fixtures(\/|$)|\/node_modules(\/|$)/.test(relative(source, path)),
  });
  await cp(join(source, 'README.md'), join(folder, 'README.md')).catch(() => {});
  const {
    private: _private,
    devDependencies: _dev,
    ...manifest
  } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as Manifest;
  const built = (path: string) => path.replace('./src/', './dist/');
  const exports = Object.entries(manifest.exports).map(([door, path]) => {
    const types = built(path).replace(/\.ts$/, '.d.ts');
    return [door, { types, default: built(path).replace(/\.ts$/, '.js') }] as const;
  });
  const packed = { ...manifest, exports: Object.fromEntries(exports), files: ['dist'], engines: { node: '>=24' } };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(packed, undefined, 2)}\n`);
  return folder;
}

async function pack(stage: string, output: string): Promise<number> {
  await compile(stage);
  await mkdir(output, { recursive: true });
  for (const name of names) {
    const folder = await assemble(stage, name);
    const code = await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', output, folder]);
    if (code !== 0) return code;
  }
  process.stdout.write(`npm install ${join(output, '*.tgz')}\n`);
  return 0;
}

async function main(output: string): Promise<number> {
  await mkdir(join(root, '.cox'), { recursive: true });
  const stage = await mkdtemp(join(root, '.cox/pack-'));
  try {
    return await pack(stage, output);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

process.exitCode = await main(resolve(process.argv[2] ?? join(root, '.cox/packed')));
