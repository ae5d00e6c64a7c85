/** Judges a CRD before a server does. It knows the rules for definitions, not who writes or applies them. */
export { checkCrd } from './check-crd.ts';
export type { Problem } from './problem.ts';
