/**
 * Nodes of the embedded cluster. One kubelet (`kubelet/`) decides what happens to pods and when; a runtime does it: by rule
 * (`simulated/`) or as processes of this machine (`process/`, with `network/`). `volumes/`, `environment/`, `downward/` and `probes/` are
 * what both need of a pod's spec. Knows pods, nodes and the contract by which the API server reaches them; never operators.
 */
export { NodePool, type NodeSpec, type NodeState } from './kubelet/index.ts';
export {
  type ContainerBehaviour,
  defaultBehaviour,
  type PodBehaviour,
  type ProgramCommand,
  type ProgramRun,
  SimulatedNodes,
  type SimulatedNodesOptions,
  type SimulatedProgram,
  type SimulatedPrograms,
  type Stage,
  type StageDelay,
  type StageMatch,
  type StageProbe,
  type StageWhen,
} from './simulated/index.ts';
