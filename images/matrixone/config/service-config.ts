import { parseToml } from '@coxswain/operator-matrixone/toml';
import type { Place } from '../storage/index.ts';
import { fileServices } from './file-services.ts';
import { type Address, ConfigError, Keys } from './keys.ts';

/** Where a service listens, and what others are told. */
export interface Endpoint {
  readonly listen: Address;
  /** With port 0: the one that is listened on. */
  readonly advertise: Address;
  /** How many of the following ports may be used when this one is taken. */
  readonly spread: number;
}

/** What all services have. */
export interface CommonConfig {
  readonly dataDir: string;
  /** Log stores, or a Service in front of them. */
  readonly haKeeper: readonly string[];
  /** Where the data of tables is; none where no file service says so. */
  readonly shared?: Place;
  /** Where metrics are served; none unless they were asked for. */
  readonly statusPort?: number;
}

export interface Member {
  readonly replicaId: number;
  readonly uuid: string;
}

export interface LogConfig extends CommonConfig {
  readonly type: 'LOG';
  readonly uuid: string;
  readonly storeDir: string;
  readonly raft: Endpoint;
  readonly service: Endpoint;
  readonly gossip: Endpoint;
  readonly seeds: readonly string[];
  /** The replicas of HAKeeper at the first start. */
  readonly members: readonly Member[];
  /** The object that HAKeeper begins with at the first start, where the cluster comes of a backup. */
  readonly restore?: { readonly place: Place; readonly key: string };
  readonly ticksPerSecond: number;
  /** Milliseconds without heartbeat after which a store is expired. */
  readonly timeouts: { readonly log: number; readonly tn: number; readonly cn: number; readonly proxy: number };
}

export interface TnConfig extends CommonConfig {
  readonly type: 'TN';
  readonly uuid: string;
  readonly txn: Endpoint;
  readonly logtail: Endpoint;
  readonly lock: Endpoint;
  readonly query: Endpoint;
  readonly shard: Endpoint;
}

export interface CnConfig extends CommonConfig {
  readonly type: 'CN';
  readonly uuid: string;
  /** 0 TP, 1 AP. */
  readonly role: number;
  readonly pipeline: Endpoint;
  readonly lock: Endpoint;
  readonly query: Endpoint;
  readonly gossip: Endpoint;
  readonly shard: Endpoint;
  readonly sql: Endpoint;
  /** `Working`, `Draining` … as it is written. */
  readonly initWorkState: string;
}

export interface ProxyConfig extends CommonConfig {
  readonly type: 'PROXY';
  /** None: one is made up at each start. */
  readonly uuid?: string;
  readonly sql: Endpoint;
  /** Milliseconds between two looks at the cluster. */
  readonly refreshInterval: number;
  /** Milliseconds between two looks at who has to be moved. */
  readonly rebalanceInterval: number;
}

export type ServiceConfig = LogConfig | TnConfig | CnConfig | ProxyConfig;

const bases = { tn: 22_000, cn: 6002 };
/** How far a service goes for a free port. */
const portSpread = 20;

/** Service number `slot` of a node: by `port-base` when there is one, else by addresses of its own. */
function slot(node: Keys, own: Keys, number: number, base: number): Endpoint {
  const host = node.text('service-host');
  const portBase = node.port('port-base', 0);
  if (portBase > 0) {
    const port = portBase + number;
    return { listen: { host: '0.0.0.0', port }, advertise: { host: host ?? '127.0.0.1', port }, spread: portSpread };
  }
  const listen = own.address('listen-address') ?? { host: '127.0.0.1', port: base + number };
  return { listen, advertise: own.address('service-address') ?? listen, spread: 0 };
}

function common(keys: Keys): CommonConfig {
  const client = keys.table('hakeeper-client');
  const discovery = client.text('discovery-address');
  const addresses = discovery === undefined ? client.addresses('service-addresses') : [discovery];
  const observability = keys.table('observability');
  const metrics = observability.flag('enable-metric-to-prom') || observability.flag('enableMetricToProm');
  const dataDir = keys.text('data-dir') ?? '';
  const services = fileServices(keys);
  // Its name in files that are older.
  const shared = services.get('SHARED') ?? services.get('S3');
  return {
    dataDir: dataDir === '' ? './mo-data' : dataDir,
    haKeeper: addresses.length > 0 ? addresses : ['127.0.0.1:32001'],
    ...(shared ? { shared } : {}),
    ...(metrics ? { statusPort: observability.port('status-port', 7001) } : {}),
  };
}

function memberOf(text: string): Member {
  const [, id, uuid] = /^(\d+):([\w-]+)$/.exec(text) ?? [];
  const replicaId = Number(id);
  if (!uuid || replicaId < 131_072 || replicaId >= 262_144)
    throw new ConfigError(
      `logservice.BootstrapConfig.init-hakeeper-members: ${JSON.stringify(text)} is no REPLICAID:UUID`,
    );
  return { replicaId, uuid };
}

function membersOf(bootstrap: Keys): readonly Member[] {
  if (!bootstrap.flag('bootstrap-cluster')) return [];
  const members = bootstrap.texts('init-hakeeper-members').map(memberOf);
  const wanted = bootstrap.number('num-of-log-shard-replicas', members.length);
  if (members.length === wanted) return members;
  throw new ConfigError(`logservice.BootstrapConfig: ${members.length} init-hakeeper-members for ${wanted} replicas`);
}

/** `NAME:key`, or `NAME://key`: an object of a file service. */
function restoreOf(keys: Keys): LogConfig['restore'] {
  const name = 'file-path';
  const text = keys.table('logservice').table('BootstrapConfig').table('restore').text(name) ?? '';
  if (text === '') return undefined;
  const [, service = '', key = ''] = /^(\w+):(?:\/\/)?([^/].*)$/.exec(text) ?? [];
  const place = fileServices(keys).get(service.toUpperCase());
  if (place) return { place, key };
  throw new ConfigError(
    `logservice.BootstrapConfig.restore.${name}: ${JSON.stringify(text)} is no object of a file service of this configuration`,
  );
}

function logConfig(keys: Keys): LogConfig {
  const log = keys.table('logservice');
  const all = common(keys);
  const uuid = log.text('uuid') ?? '';
  if (uuid === '') throw new ConfigError('logservice.uuid must be set');
  if (log.id('deployment-id') === 0n) throw new ConfigError('logservice.deployment-id must be above 0');
  const host = log.text('service-host');
  const endpoint = (name: string, port: number): Endpoint => {
    const own = log.port(`${name}-port`, port);
    const told = host === undefined ? log.address(`${name}-address`) : { host, port: own };
    const advertise = told ?? { host: '127.0.0.1', port };
    const listen = log.address(`${name}-listen-address`) ?? { host: '0.0.0.0', port: advertise.port };
    return { listen: host === undefined ? listen : { ...listen, port: own }, advertise, spread: 0 };
  };
  const keeper = log.table('HAKeeperConfig');
  const restore = restoreOf(keys);
  return {
    ...all,
    type: 'LOG',
    uuid,
    storeDir: log.text('data-dir') ?? `${all.dataDir}/logservice-data`,
    raft: endpoint('raft', 32_000),
    service: endpoint('logservice', 32_001),
    gossip: endpoint('gossip', 32_002),
    seeds: log.addresses('gossip-seed-addresses'),
    members: membersOf(log.table('BootstrapConfig')),
    ...(restore ? { restore } : {}),
    ticksPerSecond: keeper.number('tick-per-second', 10),
    timeouts: {
      log: keeper.duration('log-store-timeout', 300_000),
      tn: keeper.duration('tn-store-timeout', 10_000),
      cn: keeper.duration('cn-store-timeout', 30_000),
      proxy: keeper.duration('proxy-store-timeout', 30_000),
    },
  };
}

function nodeUuid(node: Keys, name: string): string {
  const uuid = node.text('uuid') ?? '';
  if (uuid === '') throw new ConfigError(`${name}.uuid must be set`);
  return uuid;
}

function tnConfig(keys: Keys): TnConfig {
  const name = keys.has('tn') ? 'tn' : 'dn';
  const node = keys.table(name);
  return {
    ...common(keys),
    type: 'TN',
    uuid: nodeUuid(node, name),
    txn: slot(node, node, 0, bases.tn),
    logtail: slot(node, node.table('LogtailServer'), 1, bases.tn),
    lock: slot(node, node.table('lockservice'), 2, bases.tn),
    query: slot(node, node.table('queryservice'), 3, bases.tn),
    shard: slot(node, node.table('shardservice'), 4, bases.tn),
  };
}

function cnConfig(keys: Keys): CnConfig {
  const node = keys.table('cn');
  const frontend = node.table('frontend');
  const listen = { host: frontend.text('host') ?? '0.0.0.0', port: frontend.port('port', 6001) };
  const host = node.text('service-host') ?? '127.0.0.1';
  return {
    ...common(keys),
    type: 'CN',
    uuid: nodeUuid(node, 'cn'),
    role: node.text('role') === 'AP' ? 1 : 0,
    pipeline: slot(node, node, 0, bases.cn),
    lock: slot(node, node.table('lockservice'), 1, bases.cn),
    query: slot(node, node.table('queryservice'), 2, bases.cn),
    gossip: slot(node, node.table('gossip'), 3, bases.cn),
    shard: slot(node, node.table('shardservice'), 4, bases.cn),
    sql: { listen, advertise: node.address('sql-address') ?? { host, port: listen.port }, spread: 0 },
    initWorkState: node.text('init-work-state') ?? 'Working',
  };
}

function proxyConfig(keys: Keys): ProxyConfig {
  const proxy = keys.table('proxy');
  const listen = proxy.address('listen-address') ?? { host: '127.0.0.1', port: 6009 };
  const uuid = proxy.text('uuid');
  return {
    ...common(keys),
    type: 'PROXY',
    sql: { listen, advertise: listen, spread: 0 },
    refreshInterval: proxy.table('cluster').duration('refresh-interval', 2000),
    rebalanceInterval: proxy.duration('rebalance-interval', 5000),
    ...(uuid === undefined ? {} : { uuid }),
  };
}

/** @throws ConfigError, TomlSyntaxError */
export function readServiceConfig(text: string): ServiceConfig {
  const keys = new Keys(parseToml(text));
  const type = keys.text('service-type') ?? '';
  switch (type.toUpperCase()) {
    case 'LOG':
      return logConfig(keys);
    case 'TN':
    case 'DN':
      return tnConfig(keys);
    case 'CN':
      return cnConfig(keys);
    case 'PROXY':
      return proxyConfig(keys);
    default:
      throw new ConfigError(`service-type must be LOG, TN, CN or PROXY, and not ${JSON.stringify(type)}`);
  }
}

/** The files of the services that a launch file starts, in the order they are to be started. */
export function readLaunchFile(text: string, withProxy: boolean): readonly string[] {
  const keys = new Keys(parseToml(text));
  const kinds = ['logservices', keys.has('tnservices') ? 'tnservices' : 'dnservices', 'cnservices'];
  return [...kinds, ...(withProxy ? ['proxy-services'] : [])].flatMap((name) => keys.texts(name));
}
