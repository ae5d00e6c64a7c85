/**
 * What a client asks before it asks for objects: groups, resources, version, health. Live from the registry.
 * Knows the registry; nothing of storage, objects or how answers reach the wire.
 */
export { compareVersions, type ServedGroup, type ServedVersion, servedGroups } from './groups.ts';
export { type HealthCheck, healthRoute } from './health.ts';
export { pathsRoute } from './paths.ts';
export { type DiscoveryOptions, discoveryRoute } from './routes.ts';
export { emulatedVersion, versionInfo, versionRoute } from './version.ts';
