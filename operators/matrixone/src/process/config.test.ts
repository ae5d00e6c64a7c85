import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { backupsOf } from './set-up.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coxswain-config-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const files = async (texts: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
  return readConfig(folder);
};

test('the files that the chart mounts', async () => {
  await mkdir(join(folder, '..data'));
  const config = await files({
    defaultArgs: '\nlogService:\n- -debug-http=:6060\n\ndn:\n- a\n- b\n',
    bucketCleanJob: 'image: "amazon/aws-cli:latest"\n',
    featureGates: 'cnLabel: true\ncnPool: true\ns3Reclaim: false\n',
    brConfig: 'image: "my.registry/matrixorigin/mobr:1.0.0-rc1"\n',
    onlyWatchReleasedNS: 'true',
    webhook: 'service: s\nsecret: t\nmutating: m\nvalidating: v\n',
  });
  expect(config).toEqual({
    serviceArgs: { logService: ['-debug-http=:6060'], dn: ['a', 'b'], cn: [], proxy: [] },
    gates: { s3Reclaim: false, proxySupport: false, cnLabel: true, backupRestore: false, cnPool: true },
    backupImage: 'my.registry/matrixorigin/mobr:1.0.0-rc1',
    bucketCleanImage: 'amazon/aws-cli:latest',
    onlyOwnNamespace: true,
    webhook: { service: 's', secret: 't', mutating: 'm', validating: 'v' },
  });
});

test('an empty folder means that all is off', async () => {
  const config = await files({ onlyWatchReleasedNS: '' });
  expect(config.onlyOwnNamespace).toBe(false);
  expect(Object.values(config.gates)).toEqual([false, false, false, false, false]);
});

test.each<[Readonly<Record<string, string>>, RegExp]>([
  [{ featureGates: 'cnlabel: true' }, /featureGates\.cnlabel .* is not known; there are s3Reclaim/],
  [{ featureGates: 'cnLabel: maybe' }, /featureGates\.cnLabel .* true or false/],
  [{ featureGates: 'cnPool: true' }, /featureGates\.cnPool .* needs cnLabel/],
  [{ featureGates: 'a: [' }, /featureGates is no YAML/],
  [{ defaultArgs: 'cn: x' }, /defaultArgs\.cn .* list of texts/],
  [{ defaultArgs: '- x' }, /defaultArgs .* must be a map/],
  [{ brConfig: 'image: 3' }, /brConfig\.image .* must be a text/],
  [{ webhook: 'service: s' }, /webhook\.secret .* must be the name of an object/],
  [{ onlyWatchReleasedNS: 'sometimes' }, /onlyWatchReleasedNS .* true or false/],
])('%j is refused', async (texts, message) => {
  await expect(files(texts)).rejects.toThrow(message);
});

test('a folder that is not there', async () => {
  await expect(readConfig(join(folder, 'none'))).rejects.toThrow(/cannot be read: .*mount the ConfigMap there/);
});

test('backups are on with their gate, and run the image that is named', async () => {
  expect(backupsOf(await files({}))).toBe(false);
  expect(backupsOf(await files({ featureGates: 'backupRestore: true\n' }))).toEqual({});
  expect(backupsOf(await files({ brConfig: 'image: mobr:1\n' }))).toEqual({ image: 'mobr:1' });
});
