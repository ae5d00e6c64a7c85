/**
 * From a CRD back to code: the text of the TypeScript module that defines it with this package's builder. It knows the
 * builder and the layout of Biome; it knows nothing of files, and runs nothing of what it writes.
 */
export { ImportError } from './errors.ts';
export { importCrd } from './import-crd.ts';
