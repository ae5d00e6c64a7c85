import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { findImage, readCatalog } from './catalog.ts';
import { usualPath } from './find-program.ts';
import type { ImageSource } from './layer.ts';
import type { ImageManifest } from './manifest.ts';
import { packedLayer } from './packed-layer.ts';
import { type ImageReference, imageName, parseImageReference } from './reference.ts';
import { type TarEntry, tarBytes } from './tar.ts';

/** An image cannot be packed; the message says why. */
export class PackError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PackError';
  }
}

export interface PackOptions {
  /** Folders with a folder for each image. */
  readonly folders: readonly string[];
  /** A name of the image, or of its folder. */
  readonly image: string;
  /** The name it gets in the cluster it is brought to; default: `image`. */
  readonly name?: string;
  /** The tar file to be written. */
  readonly output: string;
}

export interface PackedImage {
  /** Complete, with its tag. */
  readonly name: string;
  /** Of its manifest, such as `sha256:0f…`. */
  readonly digest: string;
  /** Bytes of the layer. */
  readonly size: number;
}

interface Blob {
  readonly digest: string;
  readonly size: number;
  readonly entry: TarEntry;
}

const types = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
};

const place = (digest: string) => `blobs/${digest.replace(':', '/')}`;

function jsonBlob(value: object): Blob {
  const bytes = Buffer.from(JSON.stringify(value));
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return { digest, size: bytes.length, entry: { kind: 'file', path: place(digest), mode: 0o644, bytes } };
}

/** Writes a layer to a file of its own, because its digest goes before it. */
async function layerBlob(source: ImageSource, path: string): Promise<Blob> {
  const hash = createHash('sha256');
  let size = 0;
  const counted = async function* (parts: AsyncIterable<Buffer>) {
    for await (const part of parts) {
      hash.update(part);
      size += part.length;
      yield part;
    }
  };
  await pipeline(Readable.from(tarBytes(await packedLayer(source))), counted, createWriteStream(path));
  const digest = `sha256:${hash.digest('hex')}`;
  return { digest, size, entry: { kind: 'copy', path: place(digest), mode: 0o644, from: path, size } };
}

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

function configOf(manifest: ImageManifest, layer: string): object {
  const env = { PATH: usualPath, ...manifest.env };
  const ports = manifest.ports.map((port) => [`${port}/tcp`, {}]);
  return {
    architecture: architectures[process.arch] ?? process.arch,
    os: 'linux',
    config: {
      Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      ...(manifest.entrypoint.length > 0 ? { Entrypoint: manifest.entrypoint } : {}),
      ...(manifest.args.length > 0 ? { Cmd: manifest.args } : {}),
      ...(manifest.user === undefined ? {} : { User: manifest.user }),
      ...(manifest.workingDir === undefined ? {} : { WorkingDir: manifest.workingDir }),
      ...(ports.length > 0 ? { ExposedPorts: Object.fromEntries(ports) } : {}),
    },
    rootfs: { type: 'layers', diff_ids: [layer] },
  };
}

async function findSource({ folders, image }: PackOptions, reference: ImageReference): Promise<ImageSource> {
  const { images, problems } = await readCatalog(folders);
  const found = images.find(({ folder }) => basename(folder) === image) ?? findImage(images, reference);
  if (found) return found;
  const names = images.map(({ folder }) => basename(folder)).join(', ');
  throw new PackError([`there is no image ${image}; there are: ${names}`, ...problems].join('; '));
}

function referenceOf(text: string): ImageReference {
  const reference = parseImageReference(text);
  if (!reference) throw new PackError(`${JSON.stringify(text)} is no name of an image`);
  return reference;
}

function put(bytes: string, path: string): TarEntry {
  return { kind: 'file', path, mode: 0o644, bytes: Buffer.from(bytes) };
}

/**
 * Packs an image of the catalog as a tar file that containerd and others import (OCI image layout): with its files, and what it uses of
 * this machine: Node, programs and their libraries, npm packages. The same content is the same bytes.
 * @throws PackError, ManifestError
 */
export async function packImage(options: PackOptions): Promise<PackedImage> {
  const reference = referenceOf(options.name ?? options.image);
  const source = await findSource(options, referenceOf(options.image));
  const name = imageName(reference);
  const draft = `${options.output}.part`;
  const layerFile = `${options.output}.layer`;
  try {
    const layer = await layerBlob(source, layerFile);
    const config = jsonBlob(configOf(source.manifest, layer.digest));
    const descriptor = ({ digest, size }: Blob, mediaType: string) => ({ mediaType, digest, size });
    const manifest = jsonBlob({
      schemaVersion: 2,
      mediaType: types.manifest,
      config: descriptor(config, types.config),
      layers: [descriptor(layer, types.layer)],
    });
    const annotations = {
      'io.containerd.image.name': name,
      'org.opencontainers.image.ref.name': reference.tag ?? 'latest',
    };
    const index = {
      schemaVersion: 2,
      mediaType: types.index,
      manifests: [{ ...descriptor(manifest, types.manifest), annotations }],
    };
    const files = [put('{"imageLayoutVersion":"1.0.0"}', 'oci-layout'), put(JSON.stringify(index), 'index.json')];
    const blobs = [manifest, config, layer].map(({ entry }) => entry);
    await pipeline(Readable.from(tarBytes([...files, ...blobs])), createWriteStream(draft));
    await rename(draft, options.output);
    return { name, digest: manifest.digest, size: layer.size };
  } finally {
    await rm(layerFile, { force: true });
    await rm(draft, { force: true });
  }
}
