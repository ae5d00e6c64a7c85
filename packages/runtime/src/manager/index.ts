// Manager: brings the rooms together and gives them a common life. Shared caches first, then leadership, then workers;
// backwards at the end. Knows every room of the runtime and no operator.
export { LeadershipLost } from './errors.ts';
export type { ManagerState } from './lifecycle.ts';
export { createManager } from './manager.ts';
export { type ProgramProcess, type RunOptions, runUntilSignal } from './run-until-signal.ts';
export type { ActorBuilder, Manager, ManagerOptions, Operator, Runnable, SourceOptions } from './types.ts';
