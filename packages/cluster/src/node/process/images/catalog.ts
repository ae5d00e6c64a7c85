import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RuntimeRefusal } from '../../runtime.ts';
import { Bundles, bundler } from './bundles.ts';
import { findProgram, usualPath } from './find-program.ts';
import { type ImageSource, localLayer, packageFolder } from './layer.ts';
import { decodeManifest, type ImageManifest } from './manifest.ts';
import { closest } from './near-names.ts';
import { type ImageReference, imageName, parseImageReference } from './reference.ts';
import { tarBytes } from './tar.ts';

/** An image that containers can be started from. */
export interface Image {
  /** As `imageID` shows it. */
  readonly id: string;
  readonly manifest: ImageManifest;
  /** A tar file of what it lays over the machine's files; absent: nothing. */
  readonly layer?: string;
  /** Bytes. */
  readonly size: number;
  /** Whether it was made just now. */
  readonly fresh: boolean;
}

export interface ImageCatalogOptions {
  /** Folders with a folder for each image; earlier ones go first. The first is the one to add an image to. */
  readonly folders: readonly string[];
  /** Where layers are put together. */
  readonly cache: string;
}

/** All that the folders have, read anew each time so that images may be added at any time. */
export interface CatalogContent {
  readonly images: readonly ImageSource[];
  /** What is wrong with folders and manifests. */
  readonly problems: readonly string[];
}

export async function readCatalog(folders: readonly string[]): Promise<CatalogContent> {
  const images: ImageSource[] = [];
  const problems: string[] = [];
  for (const folder of folders) {
    const names = await readdir(folder).catch(() => {
      problems.push(`the folder ${folder} cannot be read`);
      return [];
    });
    for (const name of names.sort()) {
      const path = join(folder, name, 'image.json');
      const text = await readFile(path, 'utf8').catch(() => undefined);
      if (text === undefined) continue;
      try {
        images.push({ folder: join(folder, name), manifest: decodeManifest(path, text) });
      } catch (error) {
        problems.push(error instanceof Error ? error.message : String(error));
      }
    }
  }
  return { images, problems };
}

/** The image that has this name: with the same tag before without any. */
export function findImage(images: readonly ImageSource[], wanted: ImageReference): ImageSource | undefined {
  const tag = wanted.tag ?? (wanted.digest === undefined ? 'latest' : undefined);
  const named = (fits: (name: ImageReference) => boolean) =>
    images.find(({ manifest }) => manifest.names.some((name) => name.repository === wanted.repository && fits(name)));
  return named((name) => name.tag !== undefined && name.tag === tag) ?? named((name) => name.tag === undefined);
}

/** The same with what to do about it: a program may be there where containers do not look. */
async function missingProgram({ name, hint }: ImageManifest['programs'][number], path: string): Promise<string> {
  const elsewhere = await findProgram(name, process.env['PATH'] ?? '');
  const why = elsewhere
    ? `it is at ${elsewhere}, but containers of the image look for it in ${path}: put it there, or set PATH in the env of its image.json`
    : hint;
  return `the program ${name}${why === undefined ? '' : ` (${why})`}`;
}

/** What an image needs and this machine does not have, with what to do about it. */
async function missingOf({ manifest, folder }: ImageSource): Promise<readonly string[]> {
  const missing: string[] = [];
  const path = manifest.env['PATH'] ?? usualPath;
  for (const program of manifest.programs)
    if (!(await findProgram(program.name, path))) missing.push(await missingProgram(program, path));
  const packages = [...(manifest.packages?.names ?? []), ...(manifest.bundles.length > 0 ? [bundler] : [])];
  for (const name of packages)
    if (!(await packageFolder(name, folder))) missing.push(`the npm package ${name} (npm install ${name})`);
  return missing;
}

export interface PullOptions {
  readonly never?: boolean;
  readonly simulate?: boolean;
}

/** An image whose program waits for its end. */
const nothing: ImageManifest = {
  names: [],
  entrypoint: [
    '/bin/sh',
    '-c',
    'trap "exit 0" TERM INT; echo "this image is simulated: its program is not known here"; while :; do sleep 3600 & wait; done',
  ],
  args: [],
  env: {},
  ports: [],
  files: [],
  bundles: [],
  programs: [],
  node: false,
  packed: [],
};

/** Images by name, from folders of this machine: nothing is ever brought from elsewhere. */
export class ImageCatalog {
  readonly #options: ImageCatalogOptions;
  readonly #bundles = new Bundles();
  #drafts = 0;

  constructor(options: ImageCatalogOptions) {
    this.#options = options;
  }

  /**
   * @param simulate an image that nobody knows is one whose program does nothing
   * @throws RuntimeRefusal with `InvalidImageName`, `ErrImageNeverPull`, `ErrImagePull`
   */
  async pull(text: string, { never, simulate }: PullOptions = {}): Promise<Image> {
    const reference = parseImageReference(text);
    if (!reference)
      throw new RuntimeRefusal(
        'InvalidImageName',
        `Failed to apply default image tag ${JSON.stringify(text)}: couldn't parse image name: invalid reference format`,
      );
    const content = await readCatalog(this.#options.folders);
    const source = findImage(content.images, reference);
    if (!source && simulate) return this.#make(reference, { folder: '', manifest: nothing });
    if (!source && never)
      throw new RuntimeRefusal(
        'ErrImageNeverPull',
        `Container image ${JSON.stringify(text)} is not present with pull policy of Never`,
      );
    if (!source) throw new RuntimeRefusal('ErrImagePull', this.#unknown(text, reference, content));
    const missing = await missingOf(source);
    if (missing.length > 0)
      throw new RuntimeRefusal(
        'ErrImagePull',
        `the image ${text} needs what this machine does not have: ${missing.join(', ')}`,
      );
    return this.#make(reference, source);
  }

  #unknown(text: string, reference: ImageReference, { images, problems }: CatalogContent): string {
    const names = images.flatMap(({ manifest }) => manifest.names);
    const near = closest(reference, names);
    const [folder = 'images'] = this.#options.folders;
    return [
      `the image ${text} is not in the catalog of this node, which runs programs of this machine and brings no images from registries`,
      ...(near.length > 0 ? [`names that are near: ${near.join(', ')}`] : []),
      `to add it, make a folder with an image.json that names it, in ${folder} or a folder of your own given as an option`,
      ...problems,
    ].join('; ');
  }

  async #make(reference: ImageReference, { folder, manifest }: ImageSource): Promise<Image> {
    const entries = await localLayer({ folder, manifest }, this.#bundles);
    const bytes = entries.length === 0 ? undefined : Buffer.concat(await Array.fromAsync(tarBytes(entries)));
    const hash = createHash('sha256').update(JSON.stringify(manifest)).update(imageName(reference));
    const digest = (bytes ? hash.update(bytes) : hash).digest('hex');
    const id = `${reference.repository}@sha256:${digest}`;
    const mark = join(this.#options.cache, `${digest}.tar`);
    const fresh = !(await stat(mark).catch(() => undefined));
    if (fresh) {
      await mkdir(this.#options.cache, { recursive: true });
      // Others may be at the same: pods of this process, and clusters beside it.
      const draft = `${mark}.${process.pid}-${++this.#drafts}`;
      await writeFile(draft, bytes ?? '');
      await rename(draft, mark);
    }
    return { id, manifest, ...(bytes ? { layer: mark } : {}), size: bytes?.length ?? 0, fresh };
  }
}
