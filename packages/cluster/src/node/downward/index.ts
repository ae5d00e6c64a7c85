/**
 * The downward API: what containers may learn of their own pod, as text. Environments and volumes both ask here.
 * Knows pods and quantities; nothing of nodes, files or programs.
 */

export { FieldError } from './errors.ts';
export { fieldValue, type PodAddresses } from './field-value.ts';
export { resourceValue } from './resource-value.ts';
