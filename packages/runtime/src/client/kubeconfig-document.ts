import { resolve } from 'node:path';
import { type Fields, isFields } from '../core/index.ts';

/** A kubeconfig as read, its named lists as maps. */
export interface Kubeconfig {
  /** The file, for errors. */
  readonly source: string;
  readonly currentContext: string | undefined;
  readonly contexts: ReadonlyMap<string, Entry>;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
}

/** One entry of a kubeconfig: reads its fields and says clearly what is wrong with them. */
export class Entry {
  /** The file and the entry, for errors: `kubeconfig /home/a/.kube/config, user "admin"`. */
  readonly where: string;
  readonly #fields: Fields;
  /** Relative paths are relative to it. */
  readonly #directory: string | undefined;

  constructor(where: string, fields: Fields, directory: string | undefined) {
    this.where = where;
    this.#fields = fields;
    this.#directory = directory;
  }

  names(): readonly string[] {
    return Object.keys(this.#fields);
  }

  /** A field of any form. */
  value(field: string): unknown {
    return this.#fields[field];
  }

  missing(field: string): Error {
    return new Error(`${this.where}: ${field} is not set`);
  }

  text(field: string): string {
    const value = this.optionalText(field);
    if (!value) throw this.missing(field);
    return value;
  }

  /** The empty text counts as absent. */
  optionalText(field: string): string | undefined {
    const value = this.#fields[field];
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') throw this.#wrong(field, 'a string', value);
    return value;
  }

  optionalBoolean(field: string): boolean {
    const value = this.#fields[field];
    if (value === undefined || value === null) return false;
    if (typeof value !== 'boolean') throw this.#wrong(field, 'true or false', value);
    return value;
  }

  optionalBase64(field: string): string | undefined {
    const value = this.optionalText(field);
    if (value === undefined) return undefined;
    // The value may be a key, so it is not shown.
    if (!/^[A-Za-z0-9+/\s]+=*\s*$/.test(value)) throw new Error(`${this.where}: ${field} is not base64`);
    return Buffer.from(value, 'base64').toString('utf8');
  }

  optionalPath(field: string): string | undefined {
    const value = this.optionalText(field);
    return value === undefined ? undefined : this.#directory === undefined ? value : resolve(this.#directory, value);
  }

  /** A program: found in PATH by its bare name, else relative to the file. */
  command(): string {
    const command = this.text('command');
    return command.includes('/') && this.#directory !== undefined ? resolve(this.#directory, command) : command;
  }

  texts(field: string): readonly string[] {
    return this.#list(field).map((value) => {
      if (typeof value !== 'string') throw this.#wrong(field, 'a list of strings', value);
      return value;
    });
  }

  optionalObject(field: string): Entry | undefined {
    const value = this.#fields[field];
    if (value === undefined || value === null) return undefined;
    if (!isFields(value)) throw this.#wrong(field, 'an object', value);
    return new Entry(`${this.where}, ${field}`, value, this.#directory);
  }

  objects(field: string): readonly Entry[] {
    return this.#list(field).map((value, i) => {
      if (!isFields(value)) throw this.#wrong(field, 'a list of objects', value);
      return new Entry(`${this.where}, ${field}[${i}]`, value, this.#directory);
    });
  }

  #list(field: string): readonly unknown[] {
    const value = this.#fields[field] ?? [];
    if (!Array.isArray(value)) throw this.#wrong(field, 'a list', value);
    return value;
  }

  #wrong(field: string, wanted: string, value: unknown): Error {
    return new Error(
      `${this.where}: ${field} must be ${wanted}, not ${Array.isArray(value) ? 'a list' : typeof value}`,
    );
  }
}

/** @param directory for relative paths; `undefined`: they stay as they are @throws Error with file, line and column */
export async function parseKubeconfig(
  text: string,
  source: string,
  directory: string | undefined,
): Promise<Kubeconfig> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text);
  const [problem] = document.errors;
  // Only its first line: the others show the text, which has secrets.
  if (problem) throw new Error(`${source}: not YAML: ${problem.message.split('\n', 1)[0]?.replace(/:$/, '')}`);
  const root: unknown = document.toJS();
  if (!isFields(root))
    throw new Error(`${source}: not a kubeconfig: expected an object with clusters, users and contexts`);
  const currentContext = root['current-context'];
  return {
    source,
    currentContext: typeof currentContext === 'string' && currentContext !== '' ? currentContext : undefined,
    contexts: entries(root, 'contexts', 'context', source, directory),
    clusters: entries(root, 'clusters', 'cluster', source, directory),
    users: entries(root, 'users', 'user', source, directory),
  };
}

/** Several files as one: the first to name something wins. */
export function mergeKubeconfigs(documents: readonly Kubeconfig[], source: string): Kubeconfig {
  const [only] = documents;
  if (!only) throw new Error(`${source}: none of these files is there`);
  if (documents.length === 1) return only;
  const merged = (part: 'contexts' | 'clusters' | 'users') =>
    new Map(documents.toReversed().flatMap((document) => [...document[part]]));
  return {
    source,
    currentContext: documents.find((document) => document.currentContext !== undefined)?.currentContext,
    contexts: merged('contexts'),
    clusters: merged('clusters'),
    users: merged('users'),
  };
}

function entries(
  root: Fields,
  list: string,
  part: string,
  source: string,
  directory: string | undefined,
): Map<string, Entry> {
  const found = new Map<string, Entry>();
  const items = root[list] ?? [];
  if (!Array.isArray(items)) throw new Error(`${source}: ${list} must be a list`);
  items.forEach((item: unknown, i) => {
    const name = isFields(item) ? item.name : undefined;
    if (!isFields(item) || typeof name !== 'string') throw new Error(`${source}: ${list}[${i}] has no name`);
    const fields = item[part] ?? {};
    if (!isFields(fields)) throw new Error(`${source}: ${list}[${i}].${part} must be an object`);
    if (!found.has(name)) found.set(name, new Entry(`${source}, ${part} "${name}"`, fields, directory));
  });
  return found;
}
