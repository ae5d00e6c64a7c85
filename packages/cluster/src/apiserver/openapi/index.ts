/**
 * The description of the API that clients read: schemas and operations of every served resource, as OpenAPI v2 and v3.
 *
 *   registry ─► operations ─► paths ──┐
 *   packed schemas, CRDs ─► components ┴─► document ─► JSON, or protobuf
 *
 * Knows the registry and the published schemas; nothing of objects.
 */
export { openApiV2Route } from './v2-route.ts';
export { openApiRoute } from './v3-route.ts';
