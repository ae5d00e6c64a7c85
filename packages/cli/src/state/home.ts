import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { makeDirectory } from '@coxswain/cluster';
import { systemReason, UsageError } from '../errors.ts';

/** Environment and home folder that {@link clusterHome} looks at. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  homedir(): string;
}

const ours: Surroundings = { env: process.env, homedir };

/** `$COX_HOME`, or `.coxswain` in the user's home folder. */
function stateFolder({ env, homedir: home }: Surroundings): string {
  const chosen = env['COX_HOME'];
  if (chosen) return resolve(chosen);
  const user = home();
  if (isAbsolute(user)) return join(user, '.coxswain');
  throw new UsageError(
    'there is no home folder (HOME is empty): set HOME, or COX_HOME to a folder for the state of cox',
  );
}

/**
 * Where what belongs to the cluster named `name` is kept (kubeconfig, process file, log): `$COX_HOME` or `~/.coxswain`. Makes nothing.
 * @throws UsageError when there is no such place
 */
export function clusterHome(name: string, surroundings: Surroundings = ours): string {
  return join(stateFolder(surroundings), name);
}

/**
 * The same, made when missing.
 * @throws UsageError when it cannot be
 */
export function makeClusterHome(name: string, surroundings: Surroundings = ours): string {
  const home = clusterHome(name, surroundings);
  try {
    makeDirectory(home);
  } catch (error) {
    throw new UsageError(
      `cannot make the folder ${home}: ${systemReason(error)}; set COX_HOME to a folder you may write to`,
      { cause: error },
    );
  }
  return home;
}
