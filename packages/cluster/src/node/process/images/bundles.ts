import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Rolldown from 'rolldown';
import type { ImageFile } from './manifest.ts';
import type { TarEntry } from './tar.ts';

/** The npm package that bundles are made with. */
export const bundler = 'rolldown';

/** A program in one file, and the files beside it: parts that it loads on first use, and what it reads. */
interface Bundle {
  /** What it was made of, and when each was last written (milliseconds). */
  readonly sources: ReadonlyMap<string, number>;
  readonly entries: readonly TarEntry[];
}

const relative = (path: string) => path.replace(/^\/+/, '');

async function writtenAt(path: string): Promise<number> {
  return (await stat(path)).mtimeMs;
}

/** How modules name a file that they read: relative to themselves. */
const fileBeside = /new URL\(\s*(['"])(\.{1,2}\/[^'"]+)\1,\s*import\.meta\.url\s*\)/g;

/** Modules read files that are beside them: those come along, under names of their own, beside the bundle. */
function takeFiles(taken: Map<string, string>): Rolldown.Plugin {
  return {
    name: 'take-files',
    transform(code, id) {
      if (!code.includes('import.meta.url')) return null;
      const moved = code.replace(fileBeside, (_, _quote, path: string) => {
        const from = resolve(dirname(id), path);
        const name = `${createHash('sha256').update(from).digest('hex').slice(0, 8)}-${basename(from)}`;
        taken.set(name, from);
        return `new URL('./${name}', import.meta.url)`;
      });
      return { code: moved, map: null };
    },
  };
}

/**
 * The same program without letters that take more than a byte, where escapes can stand for them: one such letter doubles what the
 * text of the whole file takes in memory.
 */
function oneByte(code: string): string {
  if (code.includes('String.raw')) return code;
  // A letter after a backslash stands for itself: the two are one escape.
  return code.replace(/\\[\s\S]|[^\0-\xff]/g, (text) => {
    const unit = text.charCodeAt(text.length - 1);
    return unit > 0xff ? `\\u${unit.toString(16).padStart(4, '0')}` : text;
  });
}

/**
 * Programs of many modules, each made into one file, and one more for each part that it loads on first use: that starts in a fifth of
 * the time, takes no memory for what is never used, and needs no packages.
 */
export class Bundles {
  readonly #made = new Map<string, Bundle>();

  /** What an image has in place of a program that is in its folder. Made anew only when one of its modules has changed. */
  async entriesOf({ from, to, mode = 0o644 }: ImageFile, folder: string): Promise<readonly TarEntry[]> {
    const input = join(folder, from);
    const place = `${input} ${to} ${mode}`;
    const made = this.#made.get(place);
    if (made && (await isCurrent(made))) return made.entries;
    const bundle = await makeBundle(input, { to: relative(to), mode });
    this.#made.set(place, bundle);
    return bundle.entries;
  }
}

async function isCurrent({ sources }: Bundle): Promise<boolean> {
  const same = await Promise.all(
    [...sources].map(async ([path, time]) => (await writtenAt(path).catch(() => undefined)) === time),
  );
  return same.every(Boolean);
}

async function makeBundle(input: string, { to, mode }: { to: string; mode: number }): Promise<Bundle> {
  // loaded from where the image is: this package does without it
  const place = createRequire(input).resolve(bundler);
  const { rolldown } = (await import(pathToFileURL(place).href)) as typeof Rolldown;
  const taken = new Map<string, string>();
  const sources = await rolldown({
    input,
    cwd: dirname(input),
    platform: 'node',
    external: /^node:/,
    plugins: [takeFiles(taken)],
    logLevel: 'silent',
  });
  try {
    const { output } = await sources.generate({
      format: 'esm',
      comments: false,
      entryFileNames: basename(to),
      chunkFileNames: '[name]-[hash].mjs',
    });
    const chunks = output.filter((one) => one.type === 'chunk');
    const files = [...taken].filter(([name]) => chunks.some(({ code }) => code.includes(name)));
    const modules = chunks.flatMap(({ moduleIds }) => moduleIds.filter((id) => !id.startsWith('\0')));
    const read = [...modules, ...files.map(([, from]) => from)];
    const times = await Promise.all(read.map(async (path) => [path, await writtenAt(path)] as const));
    const beside = files.map(
      async ([name, from]): Promise<TarEntry> => ({
        kind: 'file',
        path: join(dirname(to), name),
        mode: 0o644,
        bytes: await readFile(from),
      }),
    );
    const programs = chunks.map(
      ({ fileName, code }): TarEntry => ({
        kind: 'file',
        path: join(dirname(to), fileName),
        mode,
        bytes: Buffer.from(oneByte(code)),
      }),
    );
    return { sources: new Map(times), entries: [...programs, ...(await Promise.all(beside))] };
  } finally {
    await sources.close();
  }
}
