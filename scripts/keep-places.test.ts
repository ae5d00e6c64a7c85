import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { keepPlaces } from './keep-places.ts';

test('places in code lead to where the source is, and texts that speak of them stay as they are', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-places-'));
  try {
    const input = join(folder, 'a ü.ts');
    const text = `// ü import.meta.url
export const own: string = import.meta.url;
export const beside = new URL('./x', import.meta.url).href;
export const said = 'import.meta.url';`;
    await writeFile(input, text);
    const sources = await rolldown({ input, plugins: [keepPlaces(join(folder, 'out'))] });
    const file = join(folder, 'out', 'bundle.mjs');
    await sources.write({ file, format: 'esm' });
    await sources.close();
    const { own, beside, said } = await import(file);
    const place = (name: string) => new URL(name, `file://${folder}/`).href;
    expect({ own, beside, said }).toEqual({ own: place('a ü.ts'), beside: place('x'), said: 'import.meta.url' });
  } finally {
    await rm(folder, { recursive: true });
  }
});
