/**
 * The description of the API that clients read: schemas and operations of every served resource, as OpenAPI v3.
 * Knows the registry and the schema table; nothing of objects.
 */
export { openApiDocument } from './document.ts';
export { openApiRoute } from './route.ts';
export { openApiV2Route } from './v2.ts';
