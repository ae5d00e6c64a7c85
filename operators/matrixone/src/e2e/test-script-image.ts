import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An image whose program is a script. */
export interface ScriptImage {
  /** Name of the image. */
  readonly name: string;
  /** Where its program is in the container. */
  readonly path: string;
  /** For `sh`. */
  readonly script: string;
  /** Programs of the machine that a packed image would have. Default none. */
  readonly packed?: readonly string[];
}

/** A folder of images, removed when it is disposed of. */
export class ImageFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** A folder with one image in it. */
  static async of({ name, path, script, packed = [] }: ScriptImage): Promise<ImageFolder> {
    const folder = await mkdtemp(join(tmpdir(), 'coxswain-images-'));
    const image = join(folder, 'image');
    await mkdir(image);
    await writeFile(join(image, 'run'), `#!/bin/sh\n${script}\n`);
    const files = [{ from: 'run', to: path, mode: '0755' }];
    const manifest = { names: [name], description: `a script at ${path}`, entrypoint: [path], files, packed };
    await writeFile(join(image, 'image.json'), JSON.stringify(manifest));
    return new ImageFolder(folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true });
  }
}
