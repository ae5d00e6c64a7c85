import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { childProcess } from '../../../late-modules.ts';
import { Bundles } from './bundles.ts';
import { findProgram, usualPath } from './find-program.ts';
import { type ImageSource, nodePlace, ownFiles, packageFolder, withFolders } from './layer.ts';
import { ManifestError } from './manifest.ts';
import type { TarEntry } from './tar.ts';

const relative = (path: string) => path.replace(/^\/+|\/+$/g, '');

async function copyOf(from: string, to: string): Promise<TarEntry> {
  const place = await realpath(from);
  const { size, mode } = await stat(place);
  return { kind: 'copy', path: relative(to), mode: mode & 0o111 ? 0o755 : 0o644, from: place, size };
}

/** Libraries that a program is loaded with, the loader among them; none for what is linked whole. */
async function librariesOf(program: string): Promise<readonly string[]> {
  const text = await new Promise<string>((resolve) => {
    childProcess().execFile('ldd', [program], { timeout: 10_000 }, (_, output) => resolve(output));
  });
  return [...text.matchAll(/(?:=> |^\s+)(\/\S+) \(0x/gm)].map((match) => match[1] ?? '');
}

/** A program with what it is loaded with, each at the place where the machine has it. */
async function programFiles(program: string, place: string): Promise<TarEntry[]> {
  const libraries = await librariesOf(await realpath(program));
  return [await copyOf(program, place), ...(await Promise.all(libraries.map((path) => copyOf(path, path))))];
}

async function treeOf(from: string, to: string): Promise<TarEntry[]> {
  const entries: TarEntry[] = [];
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [path, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) entries.push(...(await treeOf(path, target)));
    else entries.push(await copyOf(path, target));
  }
  return entries;
}

interface PackageFile {
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** npm packages with all they depend on, side by side. */
async function packageFiles({ folder, manifest }: ImageSource): Promise<TarEntry[]> {
  const { packages } = manifest;
  if (!packages) return [];
  const found = new Map<string, string>();
  const add = async (name: string, from: string): Promise<void> => {
    const place = await packageFolder(name, from);
    if (!place) throw new ManifestError(join(folder, 'image.json'), [`the npm package ${name} is not installed`]);
    // What a package brings along in a folder of its own is a part of it.
    if (found.has(name) || place.startsWith(`${from}/`)) return;
    found.set(name, place);
    const text = await readFile(join(place, 'package.json'), 'utf8');
    for (const dependency of Object.keys((JSON.parse(text) as PackageFile).dependencies ?? {}))
      await add(dependency, place);
  };
  for (const name of packages.names) await add(name, folder);
  const modules = join(relative(packages.folder), 'node_modules');
  const trees = await Promise.all([...found].map(([name, place]) => treeOf(place, join(modules, name))));
  return trees.flat();
}

async function machineFiles({ folder, manifest }: ImageSource): Promise<TarEntry[]> {
  const names = new Set(['sh', ...manifest.packed, ...manifest.programs.map(({ name }) => name)]);
  const node = manifest.node ? [programFiles(process.execPath, nodePlace)] : [];
  const programs = [...names].map(async (name) => {
    const program = await findProgram(name, manifest.env['PATH'] ?? usualPath);
    if (!program) throw new ManifestError(join(folder, 'image.json'), [`the program ${name} is not on this machine`]);
    return programFiles(program, name === 'sh' ? 'bin/sh' : program);
  });
  return (await Promise.all([...node, ...programs])).flat();
}

/** The accounts that containers are run as. */
async function accountFiles({ manifest }: ImageSource): Promise<TarEntry[]> {
  const user = manifest.user?.split(':')[0] ?? 'root';
  const lines = async (path: string, names: readonly string[]) => {
    const text = await readFile(path, 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter((line) => names.includes(line.split(':')[0] ?? ''))
      .map((line) => `${line}\n`)
      .join('');
  };
  const file = (path: string, text: string): TarEntry => ({
    kind: 'file',
    path,
    mode: 0o644,
    bytes: Buffer.from(text),
  });
  const names = [...new Set(['root', 'nobody', 'nogroup', user])];
  return [
    file('etc/passwd', await lines('/etc/passwd', names)),
    file('etc/group', await lines('/etc/group', names)),
    { kind: 'folder', path: 'tmp', mode: 0o1777 },
  ];
}

/** All that an image needs, in a layer that stands alone. What the image itself has goes before what the machine has. */
export async function packedLayer(source: ImageSource): Promise<readonly TarEntry[]> {
  const all = [
    ...(await ownFiles(source, new Bundles())),
    ...(await packageFiles(source)),
    ...(await machineFiles(source)),
    ...(await accountFiles(source)),
  ];
  const first = new Map<string, TarEntry>();
  for (const entry of all) if (!first.has(entry.path)) first.set(entry.path, entry);
  const sorted = [...first.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return withFolders(sorted);
}
