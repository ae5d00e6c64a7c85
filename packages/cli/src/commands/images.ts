import { resolve } from 'node:path';
import { ManifestError, ownImages, PackError, packImage, readCatalog, shortName } from '@coxswain/cluster/images';
import { codeOf, systemReason, UsageError } from '../errors.ts';
import type { Screen } from '../view/live.ts';

export interface ImageFlags {
  readonly images?: readonly string[];
}

export interface PackFlags extends ImageFlags {
  readonly output: string;
  readonly name?: string;
}

/** The folders of images that are meant: the user's own, then those that come with Coxswain. */
export function imageFolders({ images = [] }: ImageFlags): readonly string[] {
  return [...images.map((folder) => resolve(folder)), ownImages];
}

/** `cox images list`: names and what they are; what is wrong with manifests goes last. */
export async function listImages(flags: ImageFlags, screen: Screen): Promise<void> {
  const { images, problems } = await readCatalog(imageFolders(flags));
  for (const { manifest } of images)
    screen.write(`${manifest.names.map(shortName).join(', ')}\n    ${manifest.description ?? ''}\n`);
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
}

/** `cox images pack`: writes the tar file and says what to do with it. */
export async function pack(image: string, flags: PackFlags, screen: Screen): Promise<void> {
  const output = resolve(flags.output);
  const name = flags.name === undefined ? {} : { name: flags.name };
  try {
    const packed = await packImage({ folders: imageFolders(flags), image, output, ...name });
    screen.write(`${packed.name}\n${packed.digest}\n`);
    screen.write(`bring it to a node with: ctr -n k8s.io images import ${flags.output}\n`);
  } catch (error) {
    if (error instanceof PackError || error instanceof ManifestError)
      throw new UsageError(error.message, { cause: error });
    if (codeOf(error) !== undefined) throw new UsageError(`${flags.output}: ${systemReason(error)}`, { cause: error });
    throw error;
  }
}
