import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { buildProgram } from './build-program.ts';
import { type GoProgram, recipes } from './recipes.ts';

/** Where built programs are kept: the folder `$KCP`, or `coxswain/kcp` in the user's cache folder. */
function cacheFolder(env: NodeJS.ProcessEnv): string {
  return env['KCP'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'coxswain', 'kcp');
}

/** The path a program has, or would have once it is built. */
export function goProgramPath(name: GoProgram, env: NodeJS.ProcessEnv = process.env): string {
  return join(cacheFolder(env), recipes[name].folder, 'bin', name);
}

/** Those of the named programs that are not built. */
export async function missingGoPrograms(names: readonly GoProgram[]): Promise<GoProgram[]> {
  const present = await Promise.all(
    names.map((name) =>
      access(goProgramPath(name), constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return names.filter((_, index) => !present[index]);
}

/**
 * Builds those of the named programs that are not there yet. The first build of Kubernetes' programs takes from two to twenty minutes.
 * @param say told what is built, a line each
 * @throws GoMissingError without Go; Error with the end of the compiler's output
 */
export async function buildGoPrograms(names: readonly GoProgram[], say: (line: string) => void): Promise<void> {
  for (const name of await missingGoPrograms(names)) {
    say(`building ${name} (${recipes[name].module}); kept in ${goProgramPath(name)}`);
    await buildProgram(recipes[name], join(cacheFolder(process.env), recipes[name].folder), goProgramPath(name));
  }
}
