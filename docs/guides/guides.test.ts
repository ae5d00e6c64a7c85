import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const here = (name: string) => new URL(name, import.meta.url);
const read = (name: string) => readFileSync(here(name), 'utf8');
const guides = readdirSync(here('.')).filter((name) => name.endsWith('.md'));
const programs = readdirSync(here('.')).filter((name) => name.endsWith('.ts'));

test('there are seven guides, of at most 150 lines, all in the index', () => {
  expect(guides.toSorted()).toEqual([
    'dependencies.md',
    'first-operator.md',
    'installing.md',
    'own-children.md',
    'testing.md',
    'webhooks.md',
    'whole-operator.md',
  ]);
  for (const guide of guides) {
    expect(read(guide).split('\n').length, guide).toBeLessThanOrEqual(151);
    expect(read('../README.md')).toContain(`guides/${guide}`);
  }
});

test.each(guides)('every program in %s is a file that is checked and run', (guide) => {
  const blocks = [...read(guide).matchAll(/```ts\n(.*?)```/gs)].map(([, text = '']) => text);
  expect(blocks.length).toBeGreaterThan(0);
  const texts = programs.map(read);
  for (const block of blocks) expect(texts.includes(block), block).toBe(true);
});

/** READMEs, and the folder whose files their programs are. */
const readmes = [
  ['packages/runtime/README.md', 'packages/runtime/src/readme'],
  ['packages/runtime/src/actor/README.md', 'packages/runtime/src/readme'],
  ['packages/cluster/README.md', 'packages/cluster/src/readme'],
  ['packages/schema/README.md', 'packages/schema/src'],
  ['packages/testing/README.md', 'packages/testing/src'],
] as const;

test.each(readmes)('every program in %s is whole, and in a file that is checked', (readme, folder) => {
  const root = '../../';
  const blocks = [...read(root + readme).matchAll(/```ts\n(.*?)```/gs)].map(([, text = '']) => text);
  expect(blocks.length).toBeGreaterThan(0);
  const files = readdirSync(here(root + folder)).filter((name) => name.endsWith('.ts'));
  const texts = files.map((name) => read(`${root}${folder}/${name}`));
  if (readme === 'packages/runtime/README.md') texts.push(read(`${root}packages/runtime/src/test-echo-operator.ts`));
  for (const block of blocks) {
    const end = block.indexOf('\n\n');
    const [imports, body] = [block.slice(0, end), block.slice(end)];
    expect(imports, block).toMatch(/^import /);
    const holds = (text: string) => text.includes(body) && bindings(imports).every((name) => text.includes(name));
    expect(texts.some(holds), block).toBe(true);
  }
});

const bindings = (imports: string): string[] =>
  [...imports.matchAll(/\{([^}]*)\}/g)].flatMap(([, names = '']) => names.split(',').map((name) => name.trim()));

test('the package.json of the testing guide is that of the example', () => {
  const [, block] = read('testing.md').match(/```json\n(.*?)```/s) ?? [];
  expect(block).toBe(read('../../examples/greeter/package.json'));
});

test('every pain names a test that there is', () => {
  const rows = read('../pains.md')
    .split('\n')
    .filter((line) => /^\| \d+ \|/.test(line));
  expect(rows.length).toBe(20 + 34);
  for (const row of rows) {
    const shown = row.replace(/ \|$/, '').split(' | ').at(-1) ?? '';
    expect(shown, row).toMatch(/^`[^`]+`: “/);
    for (const [, file = '', title = ''] of row.matchAll(/`([\w/.-]+\.test\.ts)`: “([^”]+)”/g)) {
      const text = readFileSync(here(`../../packages/${file}`), 'utf8');
      expect(text.includes(title), `${file}: ${title}`).toBe(true);
    }
  }
});
