import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where what belongs to the cluster named `name` is kept (kubeconfig, process file, log): `$COX_HOME` or `~/.coxswain`. */
export async function clusterHome(name: string): Promise<string> {
  const home = join(process.env['COX_HOME'] ?? join(homedir(), '.coxswain'), name);
  await mkdir(home, { recursive: true, mode: 0o700 });
  return home;
}
