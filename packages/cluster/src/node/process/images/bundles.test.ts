import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Bundles } from './bundles.ts';
import { ImageCatalog } from './catalog.ts';
import { ownImages } from './own-images.ts';
import { packImage } from './pack.ts';

const run = promisify(execFile);
/** Of this repository, where the package that makes bundles is found. */
const near = join(ownImages, '..', 'node_modules');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(near, '.bundles-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function put(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** What a program writes that is put where it belongs below a folder. */
async function said(entries: Awaited<ReturnType<Bundles['entriesOf']>>): Promise<string> {
  const there = await mkdtemp(join(tmpdir(), 'coxswain-bundle-'));
  try {
    for (const entry of entries) {
      if (entry.kind !== 'file') throw new Error(`a ${entry.kind} in a bundle`);
      await mkdir(dirname(join(there, entry.path)), { recursive: true });
      await writeFile(join(there, entry.path), entry.bytes);
    }
    return (await run(process.execPath, [join(there, 'opt/main.mjs')])).stdout;
  } finally {
    await rm(there, { recursive: true });
  }
}

const program = {
  'app/main.ts': `import { greet } from './lib/greet.ts';\nprocess.stdout.write(greet('you' as string));\n`,
  'app/lib/greet.ts': `import { readFileSync } from 'node:fs';
const words = JSON.parse(readFileSync(new URL('../words.json', import.meta.url), 'utf8'));
export const greet = (whom: string): string => \`\${words.hello} \${whom}\`;
`,
  'app/words.json': '{"hello":"good day"}',
};

test('a program and what it reads are one file and its neighbours, made anew when a part of it changes', async () => {
  await put(program);
  const bundles = new Bundles();
  const make = () => bundles.entriesOf({ from: 'main.ts', to: '/opt/main.mjs' }, join(folder, 'app'));
  const first = await make();
  expect(await said(first)).toBe('good day you');
  expect(await make()).toBe(first);
  await put({ 'app/words.json': '{"hello":"good night"}' });
  await utimes(join(folder, 'app/words.json'), 1, 1);
  expect(await said(await make())).toBe('good night you');
});

test('what is loaded on first use is a file of its own, and no letter takes more than a byte', async () => {
  await put({
    'app/main.ts': `const { greet } = await import('./greet.ts');\nprocess.stdout.write(greet('μs\\μ\\\\…'));\n`,
    'app/greet.ts': `export const greet = (whom: string): string => 'hi ' + whom.replace(/[“”]/gu, '') + '🐚';\n`,
  });
  const entries = await new Bundles().entriesOf({ from: 'main.ts', to: '/opt/main.mjs' }, join(folder, 'app'));
  expect(entries.map(({ path }) => path)).toEqual(['opt/main.mjs', expect.stringMatching(/^opt\/greet-.+\.mjs$/)]);
  for (const entry of entries) expect('bytes' in entry && entry.bytes.every((byte) => byte < 0x80)).toBe(true);
  expect(await said(entries)).toBe('hi μsμ\\…🐚');
});

test('what cannot be made into one file is said', async () => {
  await put({ 'app/main.ts': `import './nowhere.ts';\n`, 'app/image.json': '{}' });
  const image = { names: ['app'], bundles: [{ from: 'main.ts', to: '/main.mjs' }] };
  await put({ 'app/image.json': JSON.stringify(image) });
  const catalog = new ImageCatalog({ folders: [folder], cache: join(folder, 'cache') });
  await expect(catalog.pull('app')).rejects.toThrow(/the program main\.ts cannot be made into one file: .*nowhere/s);
});

test.each([
  ['matrixone', '/opt/matrixone/main.mjs', '-version', /Stand-in of version/],
  ['matrixone-operator', '/opt/matrixone-operator/main.mjs', '-help', /usage: manager/],
])('packed, %s runs without the sources', { timeout: 60_000 }, async (image, main, flag, said) => {
  const there = await mkdtemp(join(tmpdir(), 'coxswain-packed-'));
  try {
    const tar = join(there, 'image.tar');
    await packImage({ folders: [ownImages], image, output: tar });
    const blobs = (await run('tar', ['-tf', tar])).stdout.split('\n').filter((path) => /blobs\/sha256\/./.test(path));
    await run('tar', ['-xf', tar, '-C', there]);
    const index = JSON.parse(await readFile(join(there, 'index.json'), 'utf8'));
    const place = (digest: string) => join(there, 'blobs', digest.replace(':', '/'));
    const manifest = JSON.parse(await readFile(place(index.manifests[0].digest), 'utf8'));
    expect(blobs.length).toBe(3);
    const root = join(there, 'root');
    await mkdir(root);
    await run('tar', ['-xf', place(manifest.layers[0].digest), '-C', root, '--exclude', './usr/lib/*']);
    const { stdout, stderr } = await run(process.execPath, [join(root, main), flag]);
    expect(stdout + stderr).toMatch(said);
  } finally {
    await rm(there, { recursive: true });
  }
});
