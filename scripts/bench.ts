/** `./cox bench NAME [FLAGS]`: runs one of the measurements in `bench/src`. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, run } from './run.ts';

const folder = join(root, 'bench', 'src');
const internal = new Set(['index', 'kill', 'process', 'ready', 'stats']);
const [name = '', ...flags] = process.argv.slice(2);
const file = join(folder, `${name}.ts`);
const known = (await readdir(folder)).filter((entry) => /^[a-z-]+\.ts$/.test(entry)).map((entry) => entry.slice(0, -3));
const names = known.filter((entry) => !internal.has(entry));

/** What a measurement says of itself: the comment at its top. */
async function explain(path: string): Promise<string> {
  const comment = /^\/\*\*(.*?)\*\//s.exec(await readFile(path, 'utf8'))?.[1] ?? '';
  return comment.replaceAll(/^ \* ?/gm, '').trim();
}

const wantsHelp = (argument: string) => argument === '--help' || argument === '-h';
const usage = `usage: ./cox bench NAME [FLAGS]; NAME is one of ${names.join(', ')}; ./cox bench NAME --help says more\n`;
if (wantsHelp(name)) process.stdout.write(usage);
else if (!names.includes(name)) {
  process.stderr.write(usage);
  process.exitCode = 2;
} else if (flags.some(wantsHelp)) process.stdout.write(`${await explain(file)}\n`);
else process.exitCode = await run(process.execPath, [file, ...flags]);
