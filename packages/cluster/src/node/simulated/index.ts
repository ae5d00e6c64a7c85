/**
 * Nodes that run no programs: their containers live by rule, at once unless a rule says otherwise. What is inside of containers are
 * programs that tests bring along.
 */
export { type ContainerBehaviour, defaultBehaviour, type PodBehaviour } from './behaviour.ts';
export type { ProgramCommand, ProgramRun, SimulatedProgram, SimulatedPrograms } from './programs.ts';
export { SimulatedNodes, type SimulatedNodesOptions } from './simulated-nodes.ts';
export type { Stage, StageDelay, StageMatch, StageProbe, StageWhen } from './stage.ts';
