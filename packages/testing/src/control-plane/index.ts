/**
 * A real control plane (etcd and kube-apiserver) to hold the embedded one against, where the programs are built. Nothing that
 * `./cox test` needs may depend on it.
 */
export { askEtcd } from './ask-etcd.ts';
export type { RefusedRequest } from './audit.ts';
export { compactEtcd } from './compact-etcd.ts';
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './start-control-plane.ts';
