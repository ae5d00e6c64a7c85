/**
 * Patches: pure functions from a document and a patch to a new document. They know JSON and schemas, nothing of storage,
 * requests or kinds. Server-side apply is next door, in `fieldmanager`.
 */
export { createJsonPatch, type JsonPatchOperation } from './create-json-patch.ts';
export { goJsonKind, goText } from './go-text.ts';
export { applyJsonPatch } from './json-patch.ts';
export { applyMergePatch } from './merge-patch.ts';
export { builtInSchemas, resolved } from './schema.ts';
export { applyStrategicPatch } from './strategic-patch.ts';
export { isTree, own, put, type Tree } from './tree.ts';
