/**
 * Custom resources: the rules of a CustomResourceDefinition, and how a stored one becomes a served resource.
 * Knows storage and the registry; nothing of requests, and nothing of what a custom resource means.
 */
export { type CrdHost, installCrds } from './install.ts';
export { crdStrategy } from './strategy.ts';
export { validateStatus as definitionStatusErrors } from './validate.ts';
