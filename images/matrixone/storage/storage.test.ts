import { access, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goProgramPath, startS3Server } from '@coxswain/testing';
import { describe, expect, test } from 'vitest';
import { copyObjects, type ObjectStore, openStore } from './index.ts';

const hasServer = await access(goProgramPath('versitygw')).then(
  () => true,
  () => false,
);
const odd = 'a/b&c d/é+1%.json';

async function keeps(store: ObjectStore): Promise<void> {
  expect(await store.list()).toEqual([]);
  expect(await store.get(odd)).toBeUndefined();
  await store.put(odd, 'one');
  await store.put('b', '');
  await store.put(odd, 'two');
  expect(await store.get(odd)).toBe('two');
  expect(await store.get('b')).toBe('');
  expect(await store.list()).toEqual([odd, 'b']);
  expect(await store.list('a/')).toEqual([odd]);
}

test('a folder keeps objects by key', async () => {
  const path = await mkdtemp(join(tmpdir(), 'mo-storage-'));
  try {
    const store = openStore({ kind: 'folder', path: join(path, 'new') }, {});
    await keeps(store);
    const other = openStore({ kind: 'folder', path: join(path, 'other') }, {});
    expect(await copyObjects(store, 'a/', other, 'copy/')).toEqual({ keys: ['b&c d/é+1%.json'], bytes: 3 });
    expect(await other.get('copy/b&c d/é+1%.json')).toBe('two');
  } finally {
    await rm(path, { recursive: true });
  }
});

test('all pages of a long list are read', async () => {
  const server = createServer(({ url = '' }, response) => {
    const isLast = url.includes('continuation-token=1%2B');
    const more = '<IsTruncated>true</IsTruncated><NextContinuationToken>1+</NextContinuationToken>';
    response.end(`<R>${isLast ? '<Key>p/b&amp;&#99;</Key>' : `<Key>p/a</Key>${more}`}</R>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await openStore({ kind: 's3', endpoint, bucket: 'lake', prefix: '/p/' }, {}).list()).toEqual(['a', 'b&c']);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

describe.runIf(hasServer)('over a real S3 server', () => {
  test('a prefix of a bucket keeps objects by key, and wrong keys are refused without being told', async () => {
    await using s3 = await startS3Server();
    await s3.createBucket('lake');
    await s3.put('lake', 'mo-2/x', 'of a neighbour');
    const { endpoint, region } = s3;
    const place = { kind: 's3', endpoint, bucket: 'lake', prefix: 'mo' } as const;
    await keeps(openStore(place, { accessKeyId: s3.accessKey, secretAccessKey: s3.secretKey, region }));
    expect(await s3.list('lake')).toEqual(['mo-2/x', `mo/${odd}`, 'mo/b']);
    const guessed = openStore(place, { accessKeyId: s3.accessKey, secretAccessKey: 'guessed', region });
    const problem = await guessed.put('b', 'x').catch(String);
    expect(problem).toMatch(/PUT \S+\/lake\/mo\/b: \w+: /);
    expect(problem).not.toContain('guessed');
    const nowhere = openStore(
      { ...place, bucket: 'sea' },
      { accessKeyId: s3.accessKey, secretAccessKey: s3.secretKey },
    );
    await expect(nowhere.list()).rejects.toThrow('NoSuchBucket');
  });
});
