import {
  type CNSetSpec,
  type DNSetSpec,
  type LogSetSpec,
  PORT_CN_RPC,
  PORT_LOCK_SERVICE,
  PORT_LOG_SERVICE,
  PORT_LOGTAIL,
  PORT_SQL,
  PORT_TN_SERVICE,
  type PodSetSpec,
  type ProxySetSpec,
  type SharedStorage,
} from '../api/index.ts';
import { deploymentId } from '../identity/index.ts';
import { isTable, parseToml, renderToml, setPath, type TomlTable } from '../toml/index.ts';
import { hasDiscoveryFixed, matrixOneVersionOf } from '../version/index.ts';
import { withBackupFileService, withFileServices } from './file-service.ts';
import { discoveryAddress, type LogService, serviceAddresses } from './log-service.ts';

const any = (port: number) => `0.0.0.0:${port}`;

function userConfig(spec: Pick<PodSetSpec, 'config'>): TomlTable {
  return parseToml(spec.config ?? '');
}

function setObservability(config: TomlTable, spec: Pick<PodSetSpec, 'exportToPrometheus'>): void {
  if (spec.exportToPrometheus) setPath(config, ['observability', 'enableMetricToProm'], true);
}

/** Where to find HAKeeper: by discovery where the version can, else every log store. */
function setHAKeeper(config: TomlTable, spec: Pick<PodSetSpec, 'semanticVersion' | 'image'>, log: LogService): void {
  if (hasDiscoveryFixed(matrixOneVersionOf(spec))) {
    setPath(config, ['hakeeper-client', 'discovery-address'], discoveryAddress(log));
  } else {
    setPath(config, ['hakeeper-client', 'service-addresses'], serviceAddresses(log));
  }
}

/**
 * Text of a log store's `logservice.toml`.
 * @throws TomlSyntaxError when the user's configuration is not TOML
 */
export function logSetToml(spec: LogSetSpec, log: LogService): string {
  const user = userConfig(spec);
  const config = spec.initialConfig?.restoreFrom
    ? withBackupFileService(user, spec.sharedStorage)
    : withFileServices(user, spec.sharedStorage);
  setPath(config, ['service-type'], 'LOG');
  setPath(config, ['logservice', 'deployment-id'], deploymentId(log.name));
  setPath(config, ['logservice', 'logservice-listen-address'], any(PORT_LOG_SERVICE));
  setPath(config, ['hakeeper-client', 'discovery-address'], discoveryAddress(log));
  if (spec.replicas === 1) setPath(config, ['logservice', 'gossip-allow-self-as-seed'], true);
  setObservability(config, spec);
  return renderToml(config);
}

/** Name of the transaction node's table: `tn` when the user's configuration says so, else `dn`. */
export function transactionTable(spec: Pick<DNSetSpec, 'config'>): 'tn' | 'dn' {
  return isTable(userConfig(spec).tn) ? 'tn' : 'dn';
}

/** Text of a transaction node's `config.toml`. @throws TomlSyntaxError */
export function dnSetToml(spec: DNSetSpec, storage: SharedStorage, log: LogService): string {
  const config = withFileServices(userConfig(spec), storage, spec.sharedStorageCache ?? {});
  const table = transactionTable(spec);
  setPath(config, ['service-type'], 'DN');
  setPath(config, [table, 'listen-address'], any(PORT_TN_SERVICE));
  setPath(config, [table, 'port-base'], BigInt(PORT_TN_SERVICE));
  setPath(config, [table, 'lockservice', 'listen-address'], any(PORT_LOCK_SERVICE));
  setPath(config, [table, 'LogtailServer', 'listen-address'], any(PORT_LOGTAIL));
  setHAKeeper(config, spec, log);
  setObservability(config, spec);
  return renderToml(config);
}

/** Port of the user-defined-function server when nothing else is said. */
export const DEFAULT_UDF_PORT = 50051;

/** Text of a compute node's `config.toml`. @throws TomlSyntaxError */
export function cnSetToml(spec: CNSetSpec, storage: SharedStorage, log: LogService): string {
  const config = withFileServices(userConfig(spec), storage, spec.sharedStorageCache ?? {});
  setPath(config, ['service-type'], 'CN');
  setPath(config, ['cn', 'role'], spec.role ?? '');
  setPath(config, ['cn', 'lockservice', 'listen-address'], any(PORT_LOCK_SERVICE));
  setPath(config, ['cn', 'port-base'], BigInt(PORT_CN_RPC));
  setHAKeeper(config, spec, log);
  if (spec.pythonUdfSidecar?.enabled) {
    const address = `localhost:${spec.pythonUdfSidecar.port ?? DEFAULT_UDF_PORT}`;
    setPath(config, ['cn', 'python-udf-client', 'server-address'], address);
  }
  if (spec.scalingConfig?.storeDrainEnabled) setPath(config, ['cn', 'init-work-state'], 'Draining');
  setObservability(config, spec);
  return renderToml(config);
}

/** Text of a proxy's `config.toml`. @throws TomlSyntaxError */
export function proxySetToml(spec: ProxySetSpec, storage: SharedStorage, log: LogService): string {
  const config = withFileServices(userConfig(spec), storage);
  setPath(config, ['service-type'], 'PROXY');
  setPath(config, ['proxy', 'listen-address'], any(PORT_SQL));
  setPath(config, ['hakeeper-client', 'discovery-address'], discoveryAddress(log));
  setObservability(config, spec);
  return renderToml(config);
}
