import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Where containers look for programs, unless their image or pod says otherwise. */
export const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Where the machine has a program; `undefined` when it is not there. @param path where to look for a name alone, as the variable PATH */
export async function findProgram(name: string, path: string): Promise<string | undefined> {
  for (const folder of name.includes('/') ? [''] : path.split(delimiter).filter((one) => one.startsWith('/'))) {
    const place = join(folder, name);
    const there = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (there) return place;
  }
  return undefined;
}
