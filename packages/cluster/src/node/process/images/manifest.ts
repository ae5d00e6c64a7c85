import { isAbsolute } from 'node:path';
import { type ImageReference, parseImageReference } from './reference.ts';

/** A file or folder of an image's directory, and where containers find it. */
export interface ImageFile {
  /** Beside the manifest. */
  readonly from: string;
  readonly to: string;
  /** Permission bits of the file, or of all files in the folder; absent: as they are on the disk. */
  readonly mode?: number;
}

/** A program of the machine that an image uses. */
export interface RequiredProgram {
  readonly name: string;
  /** What to do when it is not there. */
  readonly hint?: string;
}

/** What `image.json` says. */
export interface ImageManifest {
  /** Without a tag: whatever the tag. */
  readonly names: readonly ImageReference[];
  readonly description?: string;
  readonly entrypoint: readonly string[];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** `USER[:GROUP]`, names or numbers. */
  readonly user?: string;
  readonly workingDir?: string;
  readonly ports: readonly number[];
  readonly files: readonly ImageFile[];
  /** Programs for Node, each made into one file of all its modules. */
  readonly bundles: readonly ImageFile[];
  readonly programs: readonly RequiredProgram[];
  /** This Node, as /usr/local/bin/node. */
  readonly node: boolean;
  /** npm packages, with theirs, in the folder `node_modules` of this one. */
  readonly packages?: { readonly folder: string; readonly names: readonly string[] };
  /** Programs of the machine that are put into a packed image, besides. */
  readonly packed: readonly string[];
}

/** A manifest cannot be used; the message says where and why. */
export class ManifestError extends Error {
  constructor(path: string, problems: readonly string[]) {
    super(`${path}: ${problems.join('; ')}`);
    this.name = 'ManifestError';
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads fields and notes what is wrong with them. */
class Decoder {
  readonly problems: string[] = [];
  wrong(field: string, what: string): void {
    this.problems.push(`${field} ${what}`.trim());
  }

  fields(value: unknown, field: string, known: readonly string[]): Fields {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.wrong(field, 'must be an object');
      return {};
    }
    for (const name of Object.keys(value))
      if (known.length > 0 && !known.includes(name))
        this.wrong(field ? `${field}.${name}` : name, `is not known (there are ${known.join(', ')})`);
    return value as Fields;
  }

  text(value: unknown, field: string): string | undefined {
    if (value === undefined || typeof value === 'string') return value;
    this.wrong(field, 'must be a text');
    return undefined;
  }

  list(value: unknown, field: string): readonly unknown[] {
    if (value === undefined) return [];
    if (Array.isArray(value)) return value;
    this.wrong(field, 'must be a list');
    return [];
  }

  texts(value: unknown, field: string): readonly string[] {
    return this.list(value, field).map((one, index) => this.text(one, `${field}[${index}]`) ?? '');
  }

  place(value: unknown, field: string): string {
    const path = this.text(value, field);
    if (path === undefined || !isAbsolute(path) || path.split('/').includes('..'))
      this.wrong(field, 'must be an absolute path');
    return path ?? '/';
  }
}

const known = [
  'names',
  'description',
  'entrypoint',
  'args',
  'env',
  'user',
  'workingDir',
  'ports',
  'files',
  'bundles',
  'requires',
  'packed',
];

function namesOf(decoder: Decoder, value: unknown): ImageReference[] {
  const names = decoder.texts(value, 'names');
  if (names.length === 0) decoder.wrong('names', 'must have at least one name of an image, such as "example/app"');
  return names.flatMap((name, index) => {
    const parsed = parseImageReference(name);
    if (!parsed) decoder.wrong(`names[${index}]`, `is no name of an image: ${JSON.stringify(name)}`);
    return parsed ?? [];
  });
}

function fileOf(decoder: Decoder, value: unknown, field: string): ImageFile {
  const { from, to, mode } = decoder.fields(value, field, ['from', 'to', 'mode']);
  const source = decoder.text(from, `${field}.from`);
  if (source === undefined || isAbsolute(source) || source.split('/').includes('..'))
    decoder.wrong(`${field}.from`, 'must be a path beside the manifest');
  const target = decoder.place(to, `${field}.to`);
  const bits = decoder.text(mode, `${field}.mode`);
  if (bits !== undefined && !/^0?[0-7]{3}$/.test(bits))
    decoder.wrong(`${field}.mode`, 'must be permission bits such as "0755"');
  return { from: source ?? '', to: target, ...(bits === undefined ? {} : { mode: Number.parseInt(bits, 8) }) };
}

function portsOf(decoder: Decoder, value: unknown): number[] {
  return decoder.list(value, 'ports').map((port, index) => {
    if (typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65536) return port;
    decoder.wrong(`ports[${index}]`, 'must be a number from 1 to 65535');
    return 0;
  });
}

function envOf(decoder: Decoder, value: unknown): Record<string, string> {
  if (value === undefined) return {};
  const entries = Object.entries(decoder.fields(value, 'env', []));
  return Object.fromEntries(entries.map(([name, one]) => [name, decoder.text(one, `env.${name}`) ?? '']));
}

function requiresOf(decoder: Decoder, value: unknown): Pick<ImageManifest, 'programs' | 'node' | 'packages'> {
  if (value === undefined) return { programs: [], node: false };
  const { programs, node = false, packages } = decoder.fields(value, 'requires', ['programs', 'node', 'packages']);
  if (typeof node !== 'boolean') decoder.wrong('requires.node', 'must be true or false');
  const list = decoder.list(programs, 'requires.programs').map((one, index) => {
    const field = `requires.programs[${index}]`;
    const { name, hint } = decoder.fields(one, field, ['name', 'hint']);
    const program = decoder.text(name, `${field}.name`);
    if (!program) decoder.wrong(`${field}.name`, 'must be the name of a program');
    const text = decoder.text(hint, `${field}.hint`);
    return { name: program ?? '', ...(text === undefined ? {} : { hint: text }) };
  });
  if (packages === undefined) return { programs: list, node: node === true };
  const { folder, names } = decoder.fields(packages, 'requires.packages', ['folder', 'names']);
  const wanted = {
    folder: decoder.place(folder, 'requires.packages.folder'),
    names: decoder.texts(names, 'requires.packages.names'),
  };
  return { programs: list, node: node === true, packages: wanted };
}

/** @throws ManifestError that names all that is wrong */
export function decodeManifest(path: string, text: string): ImageManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ManifestError(path, [error instanceof Error ? error.message : String(error)]);
  }
  const decoder = new Decoder();
  const fields = decoder.fields(value, '', known);
  const description = decoder.text(fields['description'], 'description');
  const user = decoder.text(fields['user'], 'user');
  const workingDir = fields['workingDir'] === undefined ? undefined : decoder.place(fields['workingDir'], 'workingDir');
  const manifest: ImageManifest = {
    names: namesOf(decoder, fields['names']),
    entrypoint: decoder.texts(fields['entrypoint'], 'entrypoint'),
    args: decoder.texts(fields['args'], 'args'),
    env: envOf(decoder, fields['env']),
    ports: portsOf(decoder, fields['ports']),
    files: decoder.list(fields['files'], 'files').map((one, index) => fileOf(decoder, one, `files[${index}]`)),
    bundles: decoder.list(fields['bundles'], 'bundles').map((one, index) => fileOf(decoder, one, `bundles[${index}]`)),
    packed: decoder.texts(fields['packed'], 'packed'),
    ...requiresOf(decoder, fields['requires']),
    ...(description === undefined ? {} : { description }),
    ...(user === undefined ? {} : { user }),
    ...(workingDir === undefined ? {} : { workingDir }),
  };
  if (decoder.problems.length > 0) throw new ManifestError(path, decoder.problems);
  return manifest;
}
