/**
 * `bundle.ts OUTPUT`: the command line and all it uses in one file, so that it starts without finding, reading and stripping hundreds of
 * modules. The file's modification time is when the reading of the sources began: it is stale when one of them changed later (see `cox`).
 *
 * `bundle.ts OUTPUT ENTRY`: another program, with everything it needs but Node, so that it runs wherever the file is put.
 */
import { chmod, mkdir, mkdtemp, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { embedFiles } from './embed-files.ts';
import { keepPlaces } from './keep-places.ts';
import { root } from './run.ts';

/** Heavy and seldom used: they stay where npm put them and are loaded when first asked for. */
const external = [/^node:/, /^(pino|prom-client|re2js|undici)(\/|$)/];

/** @param entry of a program that is to stand alone; absent: the command line */
async function bundle(output: string, entry?: string): Promise<void> {
  const folder = dirname(output);
  await mkdir(folder, { recursive: true });
  const draft = await mkdtemp(join(folder, '.draft-'));
  try {
    const { mtime } = await stat(draft);
    const sources = await rolldown({
      input: entry ?? join(root, 'packages/cli/src/main.ts'),
      cwd: root,
      platform: 'node',
      external: entry === undefined ? external : [/^node:/],
      plugins: [entry === undefined ? keepPlaces(folder) : embedFiles()],
    });
    const file = join(draft, basename(output));
    await sources.write({
      file,
      format: 'esm',
      codeSplitting: false,
      comments: false,
      sourcemap: entry === undefined ? 'hidden' : false,
      sourcemapPathTransform: (source, map) => relative(folder, resolve(dirname(map), source)),
    });
    await utimes(file, mtime, mtime);
    if (entry !== undefined) await chmod(file, 0o755);
    // the map first: a program never runs without its own
    else await rename(`${file}.map`, `${output}.map`);
    await rename(file, output);
  } finally {
    await rm(draft, { recursive: true });
  }
}

const [output, entry] = process.argv.slice(2);
if (output === undefined) {
  process.stderr.write('usage: bundle.ts OUTPUT [ENTRY]\n');
  process.exitCode = 2;
} else await bundle(resolve(output), entry && resolve(entry));
