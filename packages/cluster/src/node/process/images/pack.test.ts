import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownImages } from './own-images.ts';
import { packImage } from './pack.ts';

const folders = [ownImages];

test('an image is packed as an OCI layout that stands alone, the same bytes each time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-pack-'));
  const output = join(folder, 'pause.tar');
  const { name, digest } = await packImage({ folders, image: 'pause', name: 'registry.example.com/pause:3.9', output });
  expect(name).toBe('registry.example.com/pause:3.9');
  const unpack = (path: string) => execFileSync('tar', ['-xOf', output, path], { maxBuffer: 1 << 26 });
  const blob = (id: string) => {
    const bytes = unpack(`blobs/${id.replace(':', '/')}`);
    expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(id);
    return bytes;
  };
  const index = JSON.parse(unpack('index.json').toString());
  expect(index.manifests).toMatchObject([
    { digest, annotations: { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': '3.9' } },
  ]);
  const manifest = JSON.parse(blob(digest).toString());
  const [layer] = manifest.layers;
  expect(JSON.parse(blob(manifest.config.digest).toString())).toMatchObject({
    os: 'linux',
    config: { Entrypoint: ['/pause'] },
    rootfs: { diff_ids: [layer.digest] },
  });
  const files = execFileSync('tar', ['-tf', '-'], {
    input: blob(layer.digest),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  }).split('\n');
  for (const file of ['pause', 'bin/sh', 'etc/passwd', 'tmp/']) expect(files).toContain(file);
  expect(files.some((file) => file.includes('libc.so'))).toBe(true);
  const before = await readFile(output);
  await packImage({ folders, image: 'registry.k8s.io/pause', name, output });
  expect((await readFile(output)).equals(before)).toBe(true);
  await expect(packImage({ folders, image: 'nothing', output })).rejects.toThrow(
    /there is no image nothing; there are: .*pause/,
  );
  await rm(folder, { recursive: true });
});
