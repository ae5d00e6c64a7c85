import { readFile } from 'node:fs/promises';
import { compactEtcd, startControlPlane } from '../control-plane/index.ts';
import { connect } from './connect.ts';
import type { Ground } from './ground.ts';
import { sharedControlPlaneFile, strictAdmission } from './options.ts';

/** How a control plane that others started is described in a file: JSON of this form. */
export interface SharedControlPlane {
  readonly kubeconfig: string;
  /** `http://127.0.0.1:PORT` */
  readonly etcdUrl: string;
}

/** A real etcd and kube-apiserver: the one that {@link sharedControlPlaneFile} names, which then goes on, or one of this test's own. */
export async function realGround(env: NodeJS.ProcessEnv = process.env): Promise<Ground> {
  const file = env[sharedControlPlaneFile];
  if (file) return groundOf(JSON.parse(await readFile(file, 'utf8')) as SharedControlPlane, async () => {});
  const own = await startControlPlane({ admissionPlugins: strictAdmission });
  return groundOf({ kubeconfig: own.kubeconfig(), etcdUrl: own.etcdUrl }, () => own.stop());
}

function groundOf({ kubeconfig, etcdUrl }: SharedControlPlane, stop: () => Promise<void>): Ground {
  return {
    server: 'real',
    transport: (user) => connect(kubeconfig, user),
    kubeconfig: () => kubeconfig,
    idle: true,
    compact: () => compactEtcd(etcdUrl),
    stop,
  };
}
