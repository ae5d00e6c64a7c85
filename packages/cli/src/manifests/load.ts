import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type KubeObject, parseApiVersion } from '@coxswain/k8s';
import type { Document, LineCounter } from 'yaml';
import { messageOf, systemReason, UsageError } from '../errors.ts';

/** One object of a file, with the way back to its place in it. */
export interface Manifest {
  readonly object: KubeObject & { readonly apiVersion: string; readonly kind: string };
  readonly file: string;
  /** `file:line` of the object, or of a field of it (`spec.tn.replicas`) when that is there. */
  place(field?: string): string;
}

/** Files a folder contributes, in order of their names. */
const manifestFile = /\.(ya?ml|json)$/;

/** Stands for standard input. */
const standardInput = '-';

async function filesOf(path: string): Promise<string[]> {
  if (path === standardInput) return [path];
  const info = await stat(path).catch((error: unknown) => {
    throw new UsageError(`cannot read ${path}: ${systemReason(error)}`);
  });
  if (!info.isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => manifestFile.test(name)).sort();
  if (names.length === 0)
    throw new UsageError(`${path}: no .yaml, .yml or .json file in this folder (its subfolders are not read)`);
  return names.map((name) => join(path, name));
}

async function readText(file: string, input: Input): Promise<string> {
  return (file === standardInput ? text(input) : readFile(file, 'utf8')).catch((error: unknown) => {
    throw new UsageError(`cannot read ${file}: ${systemReason(error)}`);
  });
}

type Input = AsyncIterable<Uint8Array>;

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

/** What is wrong with a text is found when it is read, or when its aliases are followed. */
function contentOf(document: Document.Parsed, file: string, lines: LineCounter): unknown {
  const [error] = document.errors;
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new UsageError(`${file}:${line}:${col}: not valid YAML: ${error.message}`);
  }
  try {
    return document.toJS();
  } catch (cause) {
    const { line, col } = lines.linePos(document.contents?.range?.[0] ?? 0);
    throw new UsageError(`${file}:${line}:${col}: not valid YAML: ${messageOf(cause)}`, { cause });
  }
}

/** The objects of a list; those of a list of one kind (`PodList`) need not say again what they are. */
function itemsOf(value: unknown): readonly unknown[] | undefined {
  const { apiVersion, kind, items, metadata } = value as Readonly<Record<string, unknown>>;
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return undefined;
  if (kind === 'List') return items;
  // a kind of the user's own may end in these letters; its objects have names
  if (typeof metadata === 'object' && metadata !== null && 'name' in metadata) return undefined;
  const type = { apiVersion, kind: kind.slice(0, -'List'.length) };
  return items.map((item: unknown) => (typeof item === 'object' && item !== null ? { ...type, ...item } : item));
}

async function loadFile(path: string, input: Input): Promise<Manifest[]> {
  const { LineCounter, isNode, parseAllDocuments } = await import('yaml');
  const lines = new LineCounter();
  const documents = parseAllDocuments(await readText(path, input), { lineCounter: lines, prettyErrors: false });
  const file = path === standardInput ? 'standard input' : path;
  const manifests: Manifest[] = [];
  for (const document of Array.isArray(documents) ? documents : []) {
    const value = contentOf(document, file, lines);
    const lineOf = (node: unknown): number =>
      lines.linePos((isNode(node) ? node.range?.[0] : undefined) ?? document.contents?.range?.[0] ?? 0).line || 1;
    const placeBelow =
      (base: readonly (string | number)[]) =>
      (field = '') => {
        let fields = [...base, ...pathOfField(field)];
        while (fields.length > 0 && !document.hasIn(fields)) fields = fields.slice(0, -1);
        return `${file}:${lineOf(fields.length > 0 ? document.getIn(fields, true) : document.contents)}`;
      };
    if (value === null || value === undefined) continue;
    const items = itemsOf(value);
    for (const [i, object] of (items ?? [value]).entries()) {
      const place = placeBelow(items ? ['items', i] : []);
      checkShape(object, place());
      manifests.push({ object, file, place });
    }
  }
  return manifests;
}

/** One object twice would be applied twice, and only the last would be true. */
function refuseDuplicates(manifests: readonly Manifest[]): void {
  const seen = new Map<string, Manifest>();
  for (const manifest of manifests) {
    const { apiVersion, kind, metadata } = manifest.object;
    const { group } = parseApiVersion(apiVersion);
    const key = [group, kind, metadata.namespace ?? 'default', metadata.name].join('/');
    const first = seen.get(key);
    if (first)
      throw new UsageError(
        `${manifest.place()}: ${kind.toLowerCase()}/${metadata.name} is there twice: first at ${first.place()}; leave one out`,
      );
    seen.set(key, manifest);
  }
}

/**
 * Reads all objects of the given files and folders; `-` is `input`.
 * @param input default: standard input
 * @throws UsageError naming file, line and column of what cannot be used
 */
export async function loadManifests(paths: readonly string[], input: Input = process.stdin): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  for (const path of new Set(paths))
    for (const file of await filesOf(path)) manifests.push(...(await loadFile(file, input)));
  if (manifests.length === 0) throw new UsageError(`nothing to read: no object in ${paths.join(', ')}`);
  refuseDuplicates(manifests);
  return manifests;
}
