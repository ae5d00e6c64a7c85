import { access, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runProgram } from '../run-program.ts';
import { kubernetesVersion, type Recipe } from './recipes.ts';

/** There is no Go on this machine, so nothing can be built. */
export class GoMissingError extends Error {
  override readonly name = 'GoMissingError';
  constructor() {
    super('no `go` on PATH: programs of the real Kubernetes are built from its Go modules; install Go 1.26 or later');
  }
}

const timeout = 45 * 60_000;

/** Runs `go` in a folder and answers its standard output. @throws GoMissingError, Error with the end of its output */
function go(cwd: string, args: readonly string[]): Promise<string> {
  // The same flags for every program: others would compile every shared package once more.
  const env = { CGO_ENABLED: '0', GOFLAGS: '-mod=mod -buildvcs=false' };
  return runProgram('go', args, { cwd, env, timeout }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new GoMissingError() : error;
  });
}

/** A module of our own that requires the program's, once. */
async function prepare({ module }: Recipe, folder: string): Promise<void> {
  const file = join(folder, 'go.mod');
  const there = await access(file).then(
    () => true,
    () => false,
  );
  if (there) return;
  await mkdir(folder, { recursive: true });
  await go(dirname(folder), ['version']);
  await writeFile(file, 'module programs\n\ngo 1.26.0\n');
  if (module.startsWith('k8s.io/kubernetes@')) await replaceStaging(module, folder);
  await go(folder, ['get', module]);
}

/** Kubernetes requires its staging modules as v0.0.0 by path: the published ones are named instead. Others have versions like v0.0.0-2026…. */
async function replaceStaging(module: string, folder: string): Promise<void> {
  const { GoMod } = JSON.parse(await go(folder, ['mod', 'download', '-json', module])) as { readonly GoMod: string };
  const published = kubernetesVersion.replace('v1.', 'v0.');
  const names = [...(await readFile(GoMod, 'utf8')).matchAll(/^\s*(\S+) v0\.0\.0(?=\s|$)/gm)].map(([, name]) => name);
  await go(folder, ['mod', 'edit', ...names.map((name) => `-replace=${name}=${name}@${published}`)]);
}

/**
 * Builds one program.
 * @param folder the module it is built by; made when missing
 * @param path where the program goes; it appears whole or not at all
 */
export async function buildProgram(recipe: Recipe, folder: string, path: string): Promise<void> {
  await prepare(recipe, folder);
  await mkdir(dirname(path), { recursive: true });
  const aside = `${path}.${process.pid}`;
  const flags = `-s -w -X k8s.io/component-base/version.gitVersion=${kubernetesVersion}`;
  const verb = recipe.test ? ['test', '-c', '-vet=off'] : ['build'];
  await go(folder, [...verb, '-ldflags', flags, '-o', aside, recipe.package]);
  await rename(aside, path);
}
