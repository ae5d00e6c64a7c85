import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadManifests } from './load.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cox-load-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

async function file(name: string, text: string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, text);
  return path;
}

const configMap = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;

describe('loadManifests', () => {
  it('reads every document of a file, and skips empty ones', async () => {
    const path = await file('a.yaml', `${configMap('one')}---\n---\n# nothing\n---\n${configMap('two')}`);
    const manifests = await loadManifests([path]);
    expect(manifests.map(({ object }) => object.metadata.name)).toEqual(['one', 'two']);
  });

  it('reads the files of a folder in order of their names, and no others', async () => {
    await file('b.yml', configMap('b'));
    await file('a.json', JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }));
    await file('notes.txt', 'not: [yaml');
    await mkdir(join(dir, 'sub'));
    const manifests = await loadManifests([dir]);
    expect(manifests.map(({ object }) => object.metadata.name)).toEqual(['a', 'b']);
  });

  it('takes the items of a List apart', async () => {
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      items: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }],
    };
    const manifests = await loadManifests([await file('list.json', JSON.stringify(list))]);
    expect(manifests.map(({ object }) => object.kind)).toEqual(['Secret']);
  });

  it('takes a list of one kind apart, and no object of a kind that ends so', async () => {
    const list = { apiVersion: 'v1', kind: 'SecretList', metadata: {}, items: [{ metadata: { name: 's' } }] };
    const [secret] = await loadManifests([await file('list.json', JSON.stringify(list))]);
    expect(secret?.object).toEqual({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } });
    const own = { apiVersion: 'demo.dev/v1', kind: 'AllowList', metadata: { name: 'a' }, items: ['x'] };
    const [kept] = await loadManifests([await file('own.json', JSON.stringify(own))]);
    expect(kept?.object).toEqual(own);
  });

  it('says where a field is', async () => {
    const path = await file('a.yaml', `# a comment\n${configMap('one')}data:\n  key: value\n`);
    const [manifest] = await loadManifests([path]);
    expect(manifest?.place()).toBe(`${path}:2`);
    expect(manifest?.place('data.key')).toBe(`${path}:7`);
    expect(manifest?.place('data.missing[3].deep')).toBe(`${path}:7`);
  });

  it('says where an item of a List is', async () => {
    const path = await file(
      'a.yaml',
      `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: a}\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: b}\n`,
    );
    const manifests = await loadManifests([path]);
    expect(manifests.map((manifest) => manifest.place('metadata.name'))).toEqual([`${path}:6`, `${path}:9`]);
  });

  it('reads standard input for -', async () => {
    const [manifest] = await loadManifests(['-'], Readable.from([Buffer.from(configMap('piped'))]));
    expect(manifest?.object.metadata.name).toBe('piped');
    expect(manifest?.place()).toBe('standard input:1');
    const broken = loadManifests(['-'], Readable.from([Buffer.from('a: [\n')]));
    await expect(broken).rejects.toThrow(/^standard input:\d+:\d+: not valid YAML/);
  });

  it('refuses one object twice, with both places', async () => {
    const a = await file('a.yaml', configMap('one'));
    const b = await file('b.yaml', `# first a comment\n${configMap('one')}`);
    await expect(loadManifests([dir])).rejects.toThrow(
      `${b}:2: configmap/one is there twice: first at ${a}:1; leave one out`,
    );
    const other = await file('c.yaml', configMap('one').replace('name: one', 'name: one\n  namespace: other'));
    expect(await loadManifests([a, other, a])).toHaveLength(2);
  });

  it.each([
    ['a missing file', () => join(dir, 'nope.yaml'), /cannot read .*nope\.yaml: no such file or folder/],
    ['an empty folder', () => dir, /no \.yaml, \.yml or \.json file .*subfolders are not read/],
  ])('refuses %s', async (_what, path, message) => {
    await expect(loadManifests([path()])).rejects.toThrow(message);
  });

  it.each([
    ['broken YAML', 'a: [1, 2\nb: 3\n', /a\.yaml:\d+:\d+: not valid YAML: /],
    ['an alias without its anchor', 'a: *nowhere\n', /a\.yaml:\d+:\d+: not valid YAML: .*alias/],
    ['a duplicate key', `${configMap('one')}kind: Secret\n`, /a\.yaml:5:1: not valid YAML: .*unique/],
    ['a scalar', 'hello\n', /a\.yaml:1: expected an object .* found string/],
    ['a list', '- 1\n', /expected an object .* found a list/],
    ['an object without a kind', 'apiVersion: v1\nmetadata: {name: x}\n', /kind is missing/],
    ['an object without a name', 'apiVersion: v1\nkind: Secret\nmetadata: {}\n', /metadata\.name is missing/],
    ['a file with nothing in it', '# only a comment\n', /nothing to read/],
  ])('refuses %s with its place', async (_what, text, message) => {
    const path = await file('a.yaml', text);
    await expect(loadManifests([path])).rejects.toThrow(message);
  });

  it.skipIf(process.getuid?.() === 0)('refuses a file it may not read', async () => {
    const path = await file('a.yaml', configMap('one'));
    await chmod(path, 0o000);
    await expect(loadManifests([path])).rejects.toThrow(/cannot read .*: permission denied/);
  });
});
