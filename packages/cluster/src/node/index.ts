/**
 * Nodes of the embedded cluster. A simulated node moves its pods through their life by rule, at once unless a rule says otherwise.
 * What is inside of its containers are programs that tests bring along. Knows pods, nodes and the contract by which the API server
 * reaches them; never controllers or operators.
 */
export { type ContainerBehaviour, defaultBehaviour, type PodBehaviour } from './behaviour.ts';
export type { ProgramCommand, ProgramRun, SimulatedProgram, SimulatedPrograms } from './programs.ts';
export { type SimulatedNodesOptions, simulatedNodes } from './simulated-nodes.ts';
