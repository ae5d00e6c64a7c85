/** The operations guide (docs/matrixone/operations.md, operations.zh.md): what it says is there, and what it shows is taken. */
import { globSync, readFileSync } from 'node:fs';
import type { DynamicObject } from '@coxswain/k8s';
import { installCrds } from '@coxswain/runtime/apply';
import { applyAny, createDiscovery, merge } from '@coxswain/runtime/client';
import { startTestCluster, type TestCluster } from '@coxswain/testing';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { admit } from './admission/test-admit.ts';
import { MatrixOneCluster, resources } from './api/index.ts';
import { parseCommandLine } from './kubectl/options.ts';
import { matrixoneOperator } from './operator.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const guide = read('docs/matrixone/operations.md');
const chinese = read('docs/matrixone/operations.zh.md');

interface Block {
  readonly language: string;
  readonly text: string;
}

/** Code blocks, those within lists included, without their indent. */
function blocksOf(text: string): readonly Block[] {
  return [...text.matchAll(/^( *)```(\w+)\n(.*?)^ *```$/gms)].map(([, indent = '', language = '', body = '']) => ({
    language,
    text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

const blocks = blocksOf(guide);
const shown = blocks.filter(({ language }) => language === 'yaml').map(({ text }) => text);
const lines = blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.trim().split('\n'));

interface Section {
  readonly level: number;
  readonly words: readonly string[];
}

/** Headings by level, each with the words in `code` below it, outside of blocks. */
function sectionsOf(text: string): readonly Section[] {
  const prose = text.replaceAll(/^( *)```.*?^ *```$/gms, '');
  return prose.split(/^(?=#+ )/m).map((part) => {
    const words = new Set([...part.matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word));
    return { level: /^#+/.exec(part)?.[0].length ?? 0, words: [...words].sort() };
  });
}

const words = [...new Set(sectionsOf(guide).flatMap((section) => section.words))];

/** All that the operator, its charts and its dashboards consist of, but for tests. */
const sources = [
  ...globSync('operators/matrixone/src/**/*.ts', { cwd: root }).filter(
    (path) => !/(\.test|\/test-[\w-]+)\.ts$/.test(path),
  ),
  ...globSync('packages/runtime/src/{actor,controller}/*.ts', { cwd: root }),
  ...globSync(['charts/**/*.{yaml,tpl}', 'dashboards/*'], { cwd: root }),
].map((path) => read(path));
const isThere = (word: string) => sources.some((text) => text.includes(word));

/** Whether a dotted path leads to something, in an object or in a schema. */
function leads(value: unknown, path: readonly string[], step: (value: unknown, key: string) => unknown): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return value !== undefined;
  const next = step(value, key);
  return next !== undefined && leads(next, rest, step);
}

const field = (value: unknown, key: string): unknown => (value as Record<string, unknown> | null)?.[key];
const property = (schema: unknown, key: string): unknown => field(field(schema, 'properties'), key);

const values = parse(read('charts/matrixone-operator/values.yaml')) as Readonly<Record<string, unknown>>;
/** A block that stands as a comment: it has no default. */
const allValues = { ...values, bucketCleanJob: { image: '' } };
const isValue = (path: string) => leads(allValues, path.split('.'), field);

test('both languages have the same sections, the same commands and manifests, and name the same things', () => {
  const [own, theirs] = [sectionsOf(guide), sectionsOf(chinese)];
  expect(theirs.map(({ level }) => level)).toEqual(own.map(({ level }) => level));
  expect(own.length).toBeGreaterThan(20);
  for (const [i, { words }] of own.entries()) expect(theirs[i]?.words, `section ${i}`).toEqual(words);
  expect(blocksOf(chinese)).toEqual(blocks);
});

test('every annotation, condition, reason, metric and field that it names is there', () => {
  const schemas = resources.map((kind) => kind.crd().spec.versions[0]?.schema?.openAPIV3Schema);
  const missing = words.filter((word) => {
    if (/^(spec|status)(\.\w+)+$/.test(word))
      return !schemas.some((schema) => leads(schema, word.split('.'), property));
    if (/^[a-z.]*matrixorigin\.io\//.test(word)) return !isThere(word);
    // conditions, reasons, events, phases and policies; Kubernetes' own aside
    if (/^[A-Z][A-Za-z]+$/.test(word)) return !isThere(`'${word}'`) && !isThere(`"${word}"`);
    if (/^(mo_operator|matrixone|controller_runtime)_\w+$/.test(word)) return !isThere(word);
    return false;
  });
  expect(missing.filter((word) => !ofKubernetes.has(word))).toEqual([]);
  expect(words.length).toBeGreaterThan(80);
});

/** Names of Kubernetes and OpenKruise. */
const ofKubernetes = new Set(['ReadWriteMany', 'InPlaceUpdateEnvFromMetadata', 'StatefulSetAutoDeletePVC']);

test('every value of the chart that it names is one', () => {
  const table = guide.slice(guide.indexOf('| value | default'), guide.indexOf('The configuration is read once'));
  const named = [...table.matchAll(/^\| `([\w.]+)`(?:, `([\w.]+)`)?/gm)].flatMap(([, ...names]) =>
    names.filter(Boolean),
  );
  const set = guide.match(/(?<=`|--set[ =]|,)[\w.]+(?==\w+[`, ])/g) ?? [];
  expect(named.length).toBeGreaterThan(8);
  // values of upstream's chart
  const others = ['image.tag', 'kruise.enabled'];
  expect([...named, ...set.filter((name) => !others.includes(name))].filter((name) => !isValue(name ?? ''))).toEqual(
    [],
  );
});

test('every command names kinds, flags and files that there are', () => {
  const kinds = new Set(
    resources.flatMap((kind) => {
      const { plural, shortNames = [] } = kind.crd().spec.names;
      return [kind.kind.toLowerCase(), plural, ...shortNames];
    }),
  );
  const others = new Set(['pods', 'pod', 'pvc', 'events', 'crd', 'svc', 'secret', 'secrets']);
  for (const line of lines) {
    expect(line, line).toMatch(/^(kubectl|helm|mysql|\.\/cox) /);
    const [, verb = '', target = ''] =
      /^kubectl (get|describe|patch|annotate|wait|scale|delete) (?:--overwrite )?([\w,/]+)/.exec(line) ?? [];
    const named = verb ? (target.split('/')[0]?.split(',') ?? []) : [];
    expect(
      named.filter((kind) => !kinds.has(kind) && !others.has(kind)),
      line,
    ).toEqual([]);
    for (const [, annotation = ''] of line.matchAll(/ ([\w.]*matrixorigin\.io\/[\w-]+?)(?==|-$)/g))
      expect(isThere(annotation), line).toBe(true);
    for (const [chart] of line.matchAll(/charts\/[\w-]+/g))
      expect(read(`${chart}/Chart.yaml`), line).toContain('name:');
  }
  expect(lines.length).toBeGreaterThan(30);
  for (const [, path = ''] of guide.matchAll(/`(dashboards\/[\w.-]+)`/g)) expect(read(path)).not.toBe('');
});

test('every command line of the plugin is one', () => {
  const own = lines.filter((line) => line.startsWith('kubectl mo '));
  const commands = own.map((line) => parseCommandLine(line.split(' ').slice(2)).command);
  expect(new Set(commands)).toEqual(new Set(['status', 'drain', 'undrain', 'restart', 'logs', 'confirm-failover']));
});

test('every link leads to a page, and to a heading of it', () => {
  for (const [text, own] of [
    [guide, 'operations.md'],
    [chinese, 'operations.zh.md'],
  ] as const) {
    const links = [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(8);
    for (const link of links) {
      const [path, anchor] = link.split('#');
      const page = read(`docs/matrixone/${path || own}`);
      const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
      if (anchor !== undefined) expect(headings, link).toContain(anchor);
    }
  }
});

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

test('every manifest is taken by the server and its webhooks, as it is and without a field they do not know', async () => {
  await using world = await startTestCluster();
  await installCrds(world.client, matrixoneOperator.crds(), { clock: world.clock });
  await admit(world);
  const taken: string[] = [];
  for (const text of shown) {
    for (const document of parseAllDocuments(text)) taken.push(await take(world, document.toJS()));
  }
  expect(taken.filter((kind) => kind === 'MatrixOneCluster')).toHaveLength(3);
  expect(new Set(taken)).toEqual(
    new Set([
      'values',
      'change',
      'Secret',
      'MatrixOneCluster',
      'CNPool',
      'CNClaimSet',
      'BackupJob',
      'RestoreJob',
      'CNSet',
    ]),
  );
}, 60_000);

/** Stores what a block shows: an object, or the changed part of the cluster `mo`; or looks its values up. @returns what it is */
async function take(world: TestCluster, object: DynamicObject): Promise<string> {
  const { client, namespace } = world;
  if (object.kind !== undefined) {
    const placed = { ...object, metadata: { ...object.metadata, namespace } };
    await applyAny(client, createDiscovery(client), placed, { fieldValidation: 'Strict' });
    return object.kind;
  }
  if ('spec' in object) {
    const key = { namespace, name: 'mo' };
    await client
      .of(MatrixOneCluster)
      .patch(key, merge({ spec: object['spec'] as object }), { fieldValidation: 'Strict' });
    return 'change';
  }
  for (const name of Object.keys(object)) expect(isValue(name), name).toBe(true);
  return 'values';
}
