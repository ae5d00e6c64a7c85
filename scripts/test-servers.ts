/**
 * Runs once before all tests. With `COX_SERVER=real` it starts one etcd and kube-apiserver for all test files; the worlds of
 * `startTestCluster` find it by the file that `COX_CONTROL_PLANE` names.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @returns what ends it */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['COX_SERVER'] !== 'real' || process.env['COX_CONTROL_PLANE']) return undefined;
  const { startControlPlane, strictAdmission } = await import('@coxswain/testing');
  const plane = await startControlPlane({ admissionPlugins: strictAdmission });
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-servers-'));
  const file = join(folder, 'control-plane.json');
  await writeFile(file, JSON.stringify({ kubeconfig: plane.kubeconfig(), etcdUrl: plane.etcdUrl }), { mode: 0o600 });
  process.env['COX_CONTROL_PLANE'] = file;
  return async () => {
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
