import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Absolute paths of the programs a control plane is made of. */
export interface ControlPlanePrograms {
  readonly etcd: string;
  readonly apiserver: string;
}

/** The release that the embedded server is held against. */
const version = 'v1.37.2';

/** Where the programs are looked for: the folder `$KCP`, or `coxswain/kcp` in the user's cache folder. */
export function controlPlanePrograms(env: NodeJS.ProcessEnv = process.env): ControlPlanePrograms {
  const folder = env['KCP'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'coxswain', 'kcp');
  return { etcd: join(folder, 'bin', 'etcd'), apiserver: join(folder, `k-${version}`, 'bin', 'kube-apiserver') };
}

/** The paths, of `programs`, where no executable file is. Empty: all are there. */
export async function missingPrograms(programs: ControlPlanePrograms): Promise<string[]> {
  const paths = [programs.etcd, programs.apiserver];
  const present = await Promise.all(
    paths.map((path) =>
      access(path, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return paths.filter((_, index) => !present[index]);
}
