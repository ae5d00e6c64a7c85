import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ImageCatalog } from './catalog.ts';
import { decodeManifest } from './manifest.ts';
import { parseImageReference } from './reference.ts';

let folder: string;
let catalog: ImageCatalog;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coxswain-images-'));
  catalog = new ImageCatalog({ folders: [join(folder, 'mine'), join(folder, 'none')], cache: join(folder, 'cache') });
});
afterEach(() => rm(folder, { recursive: true }));

async function image(name: string, manifest: object | string, files: Record<string, string> = {}): Promise<void> {
  const place = join(folder, 'mine', name);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'image.json'), typeof manifest === 'string' ? manifest : JSON.stringify(manifest));
  for (const [file, text] of Object.entries(files)) await writeFile(join(place, file), text);
}

test('names of images are completed as everywhere', () => {
  const parse = (text: string) => parseImageReference(text)?.repository;
  expect(parse('redis')).toBe('docker.io/library/redis');
  expect(parse('org/app:1')).toBe('docker.io/org/app');
  expect(parse('registry.k8s.io/pause:3.9')).toBe('registry.k8s.io/pause');
  expect(parse('localhost:5000/a/b:x')).toBe('localhost:5000/a/b');
  expect(parseImageReference(`redis:7@sha256:${'0'.repeat(64)}`)).toMatchObject({
    tag: '7',
    digest: `sha256:${'0'.repeat(64)}`,
  });
  for (const bad of ['', 'UPPER', 'a b', 'x:', '/x', 'x@sha256:12']) expect(parse(bad)).toBeUndefined();
});

test('an image is found by its tag, else whatever the tag; each has an id of its own, and is brought once', async () => {
  await image('any', { names: ['example.com/app'], entrypoint: ['any'] });
  await image(
    'two',
    { names: ['example.com/app:2'], entrypoint: ['two'], files: [{ from: 'f', to: '/opt/f', mode: '0755' }] },
    { f: 'text' },
  );
  const [one, two, again] = [
    await catalog.pull('example.com/app:1'),
    await catalog.pull('example.com/app:2'),
    await catalog.pull('example.com/app:2'),
  ];
  expect([one.manifest.entrypoint, two.manifest.entrypoint]).toEqual([['any'], ['two']]);
  expect([one.fresh, two.fresh, again.fresh]).toEqual([true, true, false]);
  expect(two.id).toMatch(/^example\.com\/app@sha256:[0-9a-f]{64}$/);
  expect(two.id).toBe(again.id);
  expect((await catalog.pull('example.com/app:3')).id).not.toBe(one.id);
  await writeFile(join(folder, 'mine', 'two', 'f'), 'changed');
  expect(await catalog.pull('example.com/app:2')).toMatchObject({ fresh: true });
});

test('what cannot be had is refused with what to do', async () => {
  await image('redis', {
    names: ['redis'],
    requires: {
      programs: [{ name: 'no-such-server', hint: 'install it' }],
      packages: { folder: '/opt', names: ['no-such-package'] },
    },
  });
  await image('broken', '{');
  await expect(catalog.pull('not valid')).rejects.toMatchObject({ reason: 'InvalidImageName' });
  await expect(catalog.pull('reddis:7', { never: true })).rejects.toMatchObject({ reason: 'ErrImageNeverPull' });
  await expect(catalog.pull('redis')).rejects.toMatchObject({
    reason: 'ErrImagePull',
    message:
      'the image redis needs what this machine does not have: the program no-such-server (install it), the npm package no-such-package (npm install no-such-package)',
  });
  const refusal: unknown = await catalog.pull('reddis:7').catch((error: unknown) => error);
  expect(refusal).toMatchObject({ reason: 'ErrImagePull' });
  const { message } = refusal as Error;
  for (const part of [
    'names that are near: redis',
    'an image.json',
    join(folder, 'mine'),
    `${join(folder, 'mine', 'broken', 'image.json')}: `,
  ])
    expect(message).toContain(part);
  expect((await catalog.pull('reddis:7', { simulate: true })).manifest.entrypoint[0]).toBe('/bin/sh');
});

test('a program has to be where containers look for it', async () => {
  const tools = join(folder, 'tools');
  await mkdir(tools);
  await writeFile(join(tools, 'a-server'), '#!/bin/sh\n', { mode: 0o755 });
  const requires = { programs: [{ name: 'a-server', hint: 'install it' }] };
  await image('plain', { names: ['plain'], requires });
  await image('told', { names: ['told'], requires, env: { PATH: `${tools}:/bin` } });
  await image('exact', { names: ['exact'], requires: { programs: [{ name: join(tools, 'a-server') }] } });
  const path = process.env['PATH'];
  process.env['PATH'] = `${tools}:${path}`;
  try {
    await expect(catalog.pull('plain')).rejects.toMatchObject({
      reason: 'ErrImagePull',
      message: expect.stringContaining(
        `the program a-server (it is at ${tools}/a-server, but containers of the image look for it in /usr/local/sbin:`,
      ),
    });
  } finally {
    process.env['PATH'] = path;
  }
  await expect(catalog.pull('plain')).rejects.toThrow('the program a-server (install it)');
  await catalog.pull('told');
  await catalog.pull('exact');
});

test('an image may be brought for many at a time', async () => {
  await image('many', { names: ['many'], files: [{ from: 'f', to: '/opt/f', mode: '0755' }] }, { f: 'text' });
  const pulled = await Promise.all(Array.from({ length: 20 }, () => catalog.pull('many')));
  expect(new Set(pulled.map(({ id }) => id)).size).toBe(1);
});

test('a manifest says all that is wrong with it', () => {
  const bad = {
    names: ['UPPER', 3],
    entrypont: [],
    args: 'x',
    env: { A: 1 },
    ports: [0],
    files: [{ from: '../x', to: 'rel', mode: '9' }],
    workingDir: 'here',
    requires: { node: 'yes', programs: [{}] },
  };
  let message = '';
  try {
    decodeManifest('/images/x/image.json', JSON.stringify(bad));
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toMatch(/^\/images\/x\/image\.json: entrypont is not known \(there are names, /);
  for (const part of [
    'names[0] is no name',
    'names[1] must be a text',
    'args must be a list',
    'env.A must',
    'ports[0]',
    'files[0].from',
    'files[0].to',
    'files[0].mode',
    'workingDir must',
    'requires.node',
    'requires.programs[0].name',
  ])
    expect(message).toContain(part);
});
