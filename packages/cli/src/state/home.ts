import { homedir } from 'node:os';
import { join } from 'node:path';
import { makeDirectory } from '@coxswain/cluster';
import { messageOf, UsageError } from '../errors.ts';

/**
 * Where what belongs to the cluster named `name` is kept (kubeconfig, process file, log): `$COX_HOME` or `~/.coxswain`. Made when missing.
 * @throws UsageError when it cannot be
 */
export async function clusterHome(name: string): Promise<string> {
  const home = join(process.env['COX_HOME'] ?? join(homedir(), '.coxswain'), name);
  try {
    makeDirectory(home);
  } catch (error) {
    throw new UsageError(
      `cannot make the folder ${home}: ${messageOf(error)}; set COX_HOME to a folder you may write to`,
      { cause: error },
    );
  }
  return home;
}
