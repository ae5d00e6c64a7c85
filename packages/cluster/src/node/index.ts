/**
 * Nodes of the embedded cluster. A simulated node moves its pods through their life by rule, at once unless a rule says otherwise.
 * Knows pods and nodes; never controllers or operators.
 */
export { type ContainerBehaviour, defaultBehaviour, type PodBehaviour } from './behaviour.ts';
export { type SimulatedNodesOptions, simulatedNodes } from './simulated-nodes.ts';
