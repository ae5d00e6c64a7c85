/**
 * The operator as a process: its flags, its configuration, what it serves besides. The one room that knows of command lines, files and
 * variables; knows nothing of what controllers do.
 */
export { decodeConfig, type Gate, type OperatorConfig, readConfig } from './config.ts';
export { StartError } from './errors.ts';
export { type Address, type Flags, parseFlags } from './flags.ts';
export { type ManagerProcess, runManager } from './run-manager.ts';
export { leaseName } from './set-up.ts';
