/**
 * One world, two servers: what a test of an operator stands on, over the embedded cluster or over a real etcd and
 * kube-apiserver, by one flag. Knows servers, clients and managers; nothing of the operators under test.
 */
export { TestTimeout } from './errors.ts';
export { type Server, serverFromEnv, sharedControlPlaneFile, strictAdmission } from './options.ts';
export type { SharedControlPlane } from './real-ground.ts';
export { startTestCluster } from './start-test-cluster.ts';
export type { ManagerSetup, TestCluster, TestClusterOptions, WaitOptions } from './types.ts';
