/** Judges a CRD before a server does. It knows the rules for definitions, not who writes or applies them. */
export { checkCrd, type Problem } from './check-crd.ts';
