import { readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { messageOf } from '@coxswain/runtime/core';
import type { Bundles } from './bundles.ts';
import { type ImageManifest, ManifestError } from './manifest.ts';
import type { TarEntry } from './tar.ts';

/** Where Node is in containers of images that require it. */
export const nodePlace = '/usr/local/bin/node';

/** An image's directory. */
export interface ImageSource {
  readonly folder: string;
  readonly manifest: ImageManifest;
}

const relative = (path: string) => path.replace(/^\/+|\/+$/g, '');

/** The files below a place of the disk, in the order of their names. */
async function filesOf(from: string, to: string, mode: number | undefined): Promise<TarEntry[]> {
  const info = await stat(from);
  if (info.isFile()) return [{ kind: 'file', path: to, mode: mode ?? info.mode & 0o777, bytes: await readFile(from) }];
  const entries: TarEntry[] = [{ kind: 'folder', path: to, mode: 0o755 }];
  for (const name of (await readdir(from)).sort()) {
    if (name !== 'image.json' && !/\.test\.ts$/.test(name))
      entries.push(...(await filesOf(join(from, name), join(to, name), mode)));
  }
  return entries;
}

/** Folders that the entries are in, each once and before what is in it. */
export function withFolders(entries: readonly TarEntry[]): TarEntry[] {
  const seen = new Set<string>();
  const all: TarEntry[] = [];
  for (const entry of entries) {
    const parts = entry.path.split('/');
    for (let depth = 1; depth < parts.length; depth++) {
      const path = parts.slice(0, depth).join('/');
      if (!seen.has(path)) all.push({ kind: 'folder', path, mode: 0o755 });
      seen.add(path);
    }
    if (entry.kind === 'folder' && seen.has(entry.path)) continue;
    seen.add(entry.path);
    all.push(entry);
  }
  return all;
}

/** What the manifest lays over the root. @throws ManifestError for files that are not there */
export async function ownFiles({ folder, manifest }: ImageSource, bundles: Bundles): Promise<TarEntry[]> {
  const entries: TarEntry[] = [];
  const wrong = (what: string) => new ManifestError(join(folder, 'image.json'), [what]);
  for (const { from, to, mode } of manifest.files) {
    const found = await filesOf(join(folder, from), relative(to), mode).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? wrong(`the file ${from} is not there`) : error;
    });
    entries.push(...found);
  }
  for (const bundle of manifest.bundles) {
    const made = await bundles.entriesOf(bundle, folder).catch((error: unknown) => {
      throw wrong(`the program ${bundle.from} cannot be made into one file: ${messageOf(error)}`);
    });
    entries.push(...made);
  }
  return entries;
}

/** The folder of an npm package as this program finds it; `undefined` when it is not installed. */
export async function packageFolder(name: string, from: string): Promise<string | undefined> {
  for (const folder of createRequire(join(from, 'image.json')).resolve.paths(name) ?? []) {
    const path = join(folder, name);
    if (await stat(path).catch(() => undefined)) return path;
  }
  return undefined;
}

/**
 * What an image lays over the machine's files for a container on this machine: its own files, and links to npm packages where they are
 * installed.
 */
export async function localLayer(source: ImageSource, bundles: Bundles): Promise<readonly TarEntry[]> {
  const { manifest, folder } = source;
  const entries = await ownFiles(source, bundles);
  const { packages } = manifest;
  for (const name of packages?.names ?? []) {
    const found = await packageFolder(name, folder);
    if (packages && found)
      entries.push({ kind: 'link', path: join(relative(packages.folder), 'node_modules', name), target: found });
  }
  return withFolders(entries);
}
