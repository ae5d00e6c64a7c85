import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '@coxswain/runtime/core';
import { ServiceEnd } from '../nodes/surroundings.ts';

/** A value in a file of a volume, replaced as a whole. */
export class DiskValue<T> {
  readonly #path: string;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** What was written last; `undefined` when nothing was. @throws ServiceEnd when it cannot be read */
  async read(): Promise<T | undefined> {
    try {
      return JSON.parse(await readFile(this.#path, 'utf8')) as T;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw new ServiceEnd(1, `${this.#path} cannot be read: ${messageOf(error)}`);
    }
  }

  /** Writes one after the other; resolves when this one is there for whoever reads next. */
  write(value: T): Promise<void> {
    const text = JSON.stringify(value);
    const written = this.#writing.then(async () => {
      await mkdir(dirname(this.#path), { recursive: true });
      await writeFile(`${this.#path}.new`, text);
      await rename(`${this.#path}.new`, this.#path);
    });
    this.#writing = written.catch(() => {});
    return written;
  }
}

/**
 * Holds a volume to the store it was first used by.
 * @throws ServiceEnd with 1 when it is another's, as the real one does
 */
export async function checkIdentity(folder: string, uuid: string): Promise<void> {
  const file = new DiskValue<{ readonly uuid: string }>(`${folder}/store.json`);
  const before = await file.read();
  if (before && before.uuid !== uuid)
    throw new ServiceEnd(1, `the data in ${folder} is of store ${before.uuid}, and this one is ${uuid}`);
  if (!before) await file.write({ uuid });
}
