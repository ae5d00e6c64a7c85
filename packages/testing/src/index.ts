/**
 * For tests of operators and of anything that speaks Kubernetes: clusters that start in milliseconds, virtual time, and the real
 * kubectl as the user's hands.
 */
export {
  type Cluster,
  type ClusterOptions,
  type FaultAction,
  type FaultCounts,
  type FaultHandle,
  type FaultMatch,
  type FaultRule,
  type Faults,
  type FaultWhen,
  startCluster,
} from '@coxswain/cluster';
export { seededRandom, VirtualClock } from '@coxswain/runtime/core';
export {
  askEtcd,
  type ControlPlane,
  type ControlPlaneOptions,
  type RefusedRequest,
  startControlPlane,
} from './control-plane/index.ts';
export {
  type FaultProxy,
  type FaultProxyOptions,
  type FaultScript,
  type NetworkFault,
  type ProxyCounts,
  type RequestFilter,
  randomFaults,
  type ScriptedFault,
  startFaultProxy,
} from './fault-proxy/index.ts';
export {
  buildGoPrograms,
  GoMissingError,
  type GoProgram,
  goProgramPath,
  kubernetesVersion,
  missingGoPrograms,
} from './go-programs/index.ts';
export {
  InvariantError,
  type InvariantOptions,
  type Invariants,
  type Rule,
  watchInvariants,
} from './invariants/index.ts';
export {
  inOwnNetwork,
  lacksOwnNetwork,
  type MixedCluster,
  type MixedClusterOptions,
  type OwnNetwork,
  startMixedCluster,
} from './mixed-cluster/index.ts';
export { type Cut, type CutTransport, cutTransport } from './perturb/index.ts';
export { type ClusterProgram, type Finished, helmFor, kubectlFor, type Running } from './programs.ts';
export { missingRules, type RbacRecorder, type RbacUse, recordRbac, unusedRules } from './rbac/index.ts';
export {
  missingForRealCluster,
  type RealCluster,
  type RealClusterOptions,
  realPrograms,
  startRealCluster,
} from './real-cluster/index.ts';
export { type RunOptions, runProgram } from './run-program.ts';
export { awsCliPath, installAwsCli, type S3Server, type S3ServerOptions, startS3Server } from './s3-server/index.ts';
export {
  type ManagerSetup,
  type Server,
  serverFromEnv,
  startTestCluster,
  strictAdmission,
  type TestCluster,
  type TestClusterOptions,
  TestTimeout,
  type WaitOptions,
} from './test-cluster/index.ts';
export { type TokenKubeconfigOptions, tokenKubeconfig } from './token-kubeconfig.ts';
export { type Tool, toolPath } from './tools.ts';
