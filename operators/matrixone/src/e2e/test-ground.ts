import { type Cluster, type MixedCluster, startCluster, startMixedCluster } from '@coxswain/testing';

/** A cluster whose containers are processes of this machine; with what only a real control plane has. */
export type Ground = Pick<Cluster, 'client' | 'kubeconfig' | 'stop'> &
  Partial<Pick<MixedCluster, 'refused' | 'crashApiserver'>>;

/** Whether the control plane is to be Kubernetes' own, as `./cox test matrixone --real` has it. */
export const isReal = process.env['COX_MATRIXONE_SERVER'] === 'real';

export interface GroundOptions {
  /** Folders of images that go before the usual ones. */
  readonly images?: readonly string[];
  /** How many nodes there are besides whose pods become ready by rule. */
  readonly nodes?: number;
  /** On the embedded cluster; nodes of a real control plane have one network for all. Default `loopback`. */
  readonly podNetwork?: 'loopback' | 'namespaces';
}

export function startGround({ podNetwork = 'loopback', ...options }: GroundOptions = {}): Promise<Ground> {
  return isReal ? startMixedCluster(options) : startCluster({ ...options, podNetwork, port: 0, processNodes: 1 });
}
