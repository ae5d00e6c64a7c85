import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject } from '@coxswain/k8s';
import { codeOf, UsageError } from '../errors.ts';

/** One object of a file, with the way back to its place in it. */
export interface Manifest {
  readonly object: KubeObject & { readonly apiVersion: string; readonly kind: string };
  readonly file: string;
  /** `file:line` of the object, or of a field of it (`spec.tn.replicas`) when that is there. */
  place(field?: string): string;
}

/** Files a folder contributes, in order of their names. */
const manifestFile = /\.(ya?ml|json)$/;

async function filesOf(path: string): Promise<string[]> {
  const info = await stat(path).catch((error: unknown) => {
    throw new UsageError(
      `cannot read ${path}: ${codeOf(error) === 'ENOENT' ? 'no such file or folder' : String(error)}`,
    );
  });
  if (!info.isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => manifestFile.test(name)).sort();
  if (names.length === 0) throw new UsageError(`${path}: no .yaml, .yml or .json file in this folder`);
  return names.map((name) => join(path, name));
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    const why = codeOf(error) === 'EACCES' ? 'permission denied' : String(error);
    throw new UsageError(`cannot read ${file}: ${why}`);
  });
}

/** `spec.groups[0].name` → ['spec', 'groups', 0, 'name'] */
function pathOfField(field: string): (string | number)[] {
  return [...field.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map((match) =>
    match[2] === undefined ? (match[1] ?? '') : Number(match[2]),
  );
}

function checkShape(value: unknown, place: string): asserts value is Manifest['object'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(
      `${place}: expected an object with apiVersion, kind and metadata, found ${Array.isArray(value) ? 'a list' : typeof value}`,
    );
  for (const key of ['apiVersion', 'kind'] as const)
    if (typeof (value as Record<string, unknown>)[key] !== 'string' || (value as Record<string, unknown>)[key] === '')
      throw new UsageError(`${place}: ${key} is missing: every object needs apiVersion, kind and metadata.name`);
  const metadata = (value as Record<string, unknown>)['metadata'];
  if (
    typeof metadata !== 'object' ||
    metadata === null ||
    typeof (metadata as Record<string, unknown>)['name'] !== 'string'
  )
    throw new UsageError(`${place}: metadata.name is missing`);
}

async function loadFile(file: string): Promise<Manifest[]> {
  const { LineCounter, isNode, parseAllDocuments } = await import('yaml');
  const lines = new LineCounter();
  const documents = parseAllDocuments(await readText(file), { lineCounter: lines, prettyErrors: false });
  const manifests: Manifest[] = [];
  for (const document of Array.isArray(documents) ? documents : []) {
    const error = document.errors[0];
    if (error) {
      const at = lines.linePos(error.pos[0]);
      throw new UsageError(`${file}:${at.line}:${at.col}: not valid YAML: ${error.message}`);
    }
    const lineOf = (node: unknown): number =>
      isNode(node) && node.range
        ? lines.linePos(node.range[0]).line
        : document.contents?.range
          ? lines.linePos(document.contents.range[0]).line
          : 1;
    const place = (field?: string) => {
      let path = field ? pathOfField(field) : [];
      while (path.length > 0 && !document.hasIn(path)) path = path.slice(0, -1);
      return `${file}:${lineOf(path.length > 0 ? document.getIn(path, true) : document.contents)}`;
    };
    const value: unknown = document.toJS();
    if (value === null || value === undefined) continue;
    const list = value as { kind?: unknown; items?: unknown };
    const objects = list.kind === 'List' && Array.isArray(list.items) ? (list.items as unknown[]) : [value];
    for (const object of objects) {
      checkShape(object, place());
      manifests.push({ object, file, place });
    }
  }
  return manifests;
}

/**
 * Reads all objects of the given files and folders.
 * @throws UsageError naming file, line and column of what cannot be used
 */
export async function loadManifests(paths: readonly string[]): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  for (const path of paths) for (const file of await filesOf(path)) manifests.push(...(await loadFile(file)));
  if (manifests.length === 0) throw new UsageError(`nothing to apply: no object in ${paths.join(', ')}`);
  return manifests;
}
