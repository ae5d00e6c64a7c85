import { chmod, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeDirectory } from '@coxswain/cluster';
import { systemReason, UsageError } from '../errors.ts';
import { clusterHome } from './home.ts';
import { readProcessFile } from './process-file.ts';

/** What cluster, user and context of a kubeconfig are called, so that those of two clusters can be merged. */
export function contextName(cluster: string): string {
  return cluster === 'default' ? 'coxswain' : `coxswain-${cluster}`;
}

/** The name of the cluster a kubeconfig of ours is for; `undefined` for anything else, one with other clusters in it included. */
function clusterOf(text: string): string | undefined {
  const name = /^current-context: "?coxswain(?:-([a-z0-9-]+))?"?$/m.exec(text);
  if (!name || text.match(/^\s+server:/gm)?.length !== 1) return undefined;
  return name[1] ?? 'default';
}

/** Nothing of the user's, and nothing of a cluster that runs, is overwritten. */
async function checkPlace(path: string, name: string): Promise<void> {
  const before = await readFile(path, 'utf8').catch(() => '');
  if (before.trim() === '') return;
  const other = clusterOf(before);
  if (other === undefined)
    throw new UsageError(`${path} is there already and is not a kubeconfig of cox; choose another --kubeconfig`);
  const running = other === name ? undefined : await readProcessFile(clusterHome(other));
  if (running?.kubeconfig === path)
    throw new UsageError(
      `${path} is the kubeconfig of the cluster named ${other}, which runs (pid ${running.pid}); choose another --kubeconfig`,
    );
}

/**
 * Writes the kubeconfig of the cluster named `name`, for its user's eyes only.
 * @throws UsageError when it cannot be written, or would overwrite something that is not its own
 */
export async function writeKubeconfig(path: string, name: string, text: string): Promise<void> {
  await checkPlace(path, name);
  try {
    makeDirectory(dirname(path));
    await writeFile(path, text, { mode: 0o600 });
    await chmod(path, 0o600);
  } catch (error) {
    throw new UsageError(
      `cannot write the kubeconfig ${path}: ${systemReason(error)}; choose another place with --kubeconfig`,
      { cause: error },
    );
  }
}
