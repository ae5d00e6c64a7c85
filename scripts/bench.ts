/** `./cox bench NAME [FLAGS]`: runs one of the measurements in `bench/src`. */
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { root, run } from './run.ts';

const folder = join(root, 'bench', 'src');
const internal = new Set(['index', 'kill', 'process', 'ready', 'stats']);
const [name = '', ...flags] = process.argv.slice(2);
const file = join(folder, `${name}.ts`);
const known = (await readdir(folder)).filter((entry) => /^[a-z-]+\.ts$/.test(entry)).map((entry) => entry.slice(0, -3));
const names = known.filter((entry) => !internal.has(entry));
if (!names.includes(name)) {
  process.stderr.write(`usage: ./cox bench NAME [FLAGS]; NAME is one of ${names.join(', ')}\n`);
  process.exitCode = 2;
} else {
  await access(file);
  process.exitCode = await run(process.execPath, [file, ...flags]);
}
