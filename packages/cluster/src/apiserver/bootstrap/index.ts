/**
 * The objects a cluster starts with. Knows storage and the rules of the kinds it writes; nothing of requests.
 */
export { type BootstrapOptions, bootstrapCluster, bootstrapDefinitions, publishServer } from './bootstrap.ts';
export type { NamespaceDefaults } from './namespace-defaults.ts';
export { type ServerAddress, storageClass } from './objects.ts';
export { bootstrapRoles } from './roles.ts';
export type { BootstrapContext } from './write.ts';
