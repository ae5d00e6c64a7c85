/**
 * Field ownership: who set which field (`metadata.managedFields`), and server-side apply. Pure functions from schema, stored object
 * and request to the object to store. Knows schemas and field sets, nothing of storage, requests or kinds.
 *
 *   schema ─► field-type ─► compare · merge · to-field-set · remove-items ─► track-update, apply-patch
 *                            field-set (paths as tries) ◄─► fields-v1 (wire) ◄─ managers (entries)
 */
export { type ApplyArgs, applyPatch, checkConfiguration } from './apply-patch.ts';
export type { KindVersions } from './kind-versions.ts';
export { lastAppliedAnnotation } from './last-applied.ts';
export { mergeConfiguration } from './merge-configuration.ts';
export { trackUpdate, type UpdateArgs } from './track-update.ts';
