/**
 * A real Kubernetes with several nodes on one Linux machine: control plane, kubelets and containers, each node in namespaces of its
 * own, nothing of it reachable from outside and nothing left when it stops. Needs root, cgroups of version 1, the programs of
 * `go-programs` and some of the distribution; `missingForRealCluster` names those that are not there. Nothing that `./cox test` needs
 * may depend on it.
 */
export { missingForRealCluster, realPrograms } from './requirements.ts';
export { type RealCluster, type RealClusterOptions, startRealCluster } from './start-real-cluster.ts';
