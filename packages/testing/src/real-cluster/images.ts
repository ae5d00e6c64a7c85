import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../run-program.ts';
import { type TarEntry, tar } from './tar.ts';

/** What sandboxes run. */
export const pauseImage = 'registry.local/pause:1';
/** A shell with the usual small programs, in three versions; without a command it waits. */
export const busyboxImage = 'registry.local/busybox:1';

interface Image {
  readonly name: string;
  readonly files: readonly TarEntry[];
  readonly command: readonly string[];
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** An image in the OCI layout, as one archive. */
function archive({ name, files, command }: Image): Buffer {
  const blobs: TarEntry[] = [];
  const add = (mediaType: string, bytes: Uint8Array) => {
    const digest = digestOf(bytes);
    blobs.push({ path: `blobs/sha256/${digest.slice('sha256:'.length)}`, mode: 0o644, content: bytes });
    return { mediaType: `application/vnd.oci.image.${mediaType}`, digest, size: bytes.byteLength };
  };
  const layer = add('layer.v1.tar', tar(files));
  const platform = { architecture: 'amd64', os: 'linux' };
  const settings = { Env: ['PATH=/bin'], Cmd: command };
  const rootfs = { type: 'layers', diff_ids: [layer.digest] };
  const config = add('config.v1+json', json({ ...platform, config: settings, rootfs }));
  const manifest = json({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config,
    layers: [layer],
  });
  const annotations = { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name };
  const entry = { ...add('manifest.v1+json', manifest), platform, annotations };
  const index = { schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests: [entry] };
  const file = (path: string, content: Buffer): TarEntry => ({ path, mode: 0o644, content });
  return tar([file('oci-layout', json({ imageLayoutVersion: '1.0.0' })), file('index.json', json(index)), ...blobs]);
}

const folder = (path: string, mode = 0o755): TarEntry => ({ path, mode, content: undefined });

async function busyboxFiles(): Promise<TarEntry[]> {
  const list = await runProgram('/bin/busybox', ['--list'], { cwd: '/' });
  const names = list.split('\n').filter((name) => name !== '' && name !== 'busybox');
  return [
    folder('bin'),
    folder('etc'),
    folder('tmp', 0o1777),
    { path: 'bin/busybox', mode: 0o755, content: await readFile('/bin/busybox') },
    ...names.map((name) => ({ path: `bin/${name}`, mode: 0o777, content: { link: 'busybox' } })),
    { path: 'etc/passwd', mode: 0o644, content: Buffer.from('root:x:0:0:root:/root:/bin/sh\n') },
    { path: 'etc/group', mode: 0o644, content: Buffer.from('root:x:0:\n') },
  ];
}

/** So that versions are different images. */
const version = (tag: string): TarEntry => ({ path: 'etc/version', mode: 0o644, content: Buffer.from(`${tag}\n`) });

/** Writes the archives of all images into a folder, and answers their paths. */
export async function writeImages(path: string): Promise<readonly string[]> {
  await mkdir(path, { recursive: true });
  const files = await busyboxFiles();
  // until it is asked to end, which it does at once
  const command = ['sh', '-c', 'trap "exit 0" TERM INT; while :; do sleep 3600 & wait; done'];
  const images: readonly Image[] = [
    { name: pauseImage, files, command },
    ...['1', '2', '3'].map((tag) => ({
      name: busyboxImage.replace(/\d$/, tag),
      files: [...files, version(tag)],
      command,
    })),
  ];
  return Promise.all(
    images.map(async (image, index) => {
      const file = join(path, `${index}.tar`);
      await writeFile(file, archive(image));
      return file;
    }),
  );
}
