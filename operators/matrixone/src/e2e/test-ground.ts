import { type Cluster, type MixedCluster, startCluster, startMixedCluster } from '@coxswain/testing';

/** A cluster whose containers are processes of this machine; with what only a real control plane has. */
export type Ground = Pick<Cluster, 'client' | 'kubeconfig' | 'stop'> &
  Partial<Pick<MixedCluster, 'refused' | 'crashApiserver'>>;

/** Whether the control plane is to be Kubernetes' own, as `./cox test matrixone --real` has it. */
export const isReal = process.env['COX_MATRIXONE_SERVER'] === 'real';

/** @param options folders of images that go before the usual ones; how many nodes there are besides whose pods become ready by rule */
export function startGround(
  options: { readonly images?: readonly string[]; readonly nodes?: number } = {},
): Promise<Ground> {
  return isReal ? startMixedCluster(options) : startCluster({ ...options, port: 0, processNodes: 1 });
}
