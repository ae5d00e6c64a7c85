/**
 * The configuration files of each role, to the byte, and the ConfigMaps that carry them.
 * Knows nothing of pod templates, scripts or clients.
 */
export {
  type BootstrapMember,
  bootstrapToml,
  chooseBootstrapMembers,
  gossipToml,
  parseBootstrapMembers,
} from './bootstrap.ts';
export {
  type LiveConfig,
  legacyDigest,
  type RenderedConfig,
  type RoleConfig,
  renderConfig,
  START_SCRIPT,
} from './config-maps.ts';
export { splitS3Path, withBackupFileService, withFileServices } from './file-service.ts';
export { storageLocation } from './location.ts';
export { discoveryAddress, gossipSeeds, type LogService, serviceAddresses, storeOrdinals } from './log-service.ts';
export { cnSetToml, DEFAULT_UDF_PORT, dnSetToml, logSetToml, proxySetToml, transactionTable } from './roles.ts';
