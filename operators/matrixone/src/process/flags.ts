import { StartError } from './errors.ts';

/** Where a server listens. */
export interface Address {
  readonly port: number;
  /** Absent: all addresses. */
  readonly host?: string;
}

/** What the command line says. */
export interface Flags {
  /** Absent: metrics are not served. */
  readonly metrics?: Address;
  /** Absent: probes are not answered. */
  readonly health?: Address;
  readonly leaderElect: boolean;
  /** Folder of `tls.crt` and `tls.key`. */
  readonly certificateDirectory: string;
  /** Folder with a file for each key of the configuration. */
  readonly configDirectory: string;
  /** Name of the authority's file in the folder of certificates. */
  readonly caFile: string;
  /** Whether failed log stores are replaced. */
  readonly failover: boolean;
  readonly logLevel: 'debug' | 'info' | 'error';
  /** Only the usage was asked for. */
  readonly help: boolean;
}

interface Flag {
  readonly initial: string;
  readonly switch?: true;
  readonly help: string;
}

const table = {
  'metrics-bind-address': { initial: ':8080', help: 'where metrics are served; 0: nowhere' },
  'health-probe-bind-address': { initial: ':8081', help: 'where /healthz and /readyz are answered; 0: nowhere' },
  'leader-elect': { initial: 'false', switch: true, help: 'only one of several replicas acts' },
  'webhook-certificate-directory': {
    initial: '/tmp/k8s-webhook-server/serving-certs',
    help: 'folder of tls.crt and tls.key of the webhook server',
  },
  'operator-cfg-directory': { initial: '/etc/mo-operator-cfg', help: 'folder of the configuration, read once' },
  'ca-file': { initial: 'caBundle', help: 'file of the authority in the folder of certificates' },
  failover: { initial: 'true', switch: true, help: 'failed log stores are replaced' },
  'zap-devel': { initial: 'false', switch: true, help: 'log from debug on' },
  'zap-log-level': { initial: '', help: 'debug, info, error, or a number above 0 for debug' },
  'zap-encoder': { initial: 'json', help: 'json or console; lines are JSON whatever it says' },
  'zap-stacktrace-level': { initial: 'error', help: 'taken and not used: errors have their stacks' },
  'zap-time-encoder': { initial: 'iso8601', help: 'taken and not used: times are ISO 8601 in UTC' },
  help: { initial: 'false', switch: true, help: 'this text' },
} as const satisfies Readonly<Record<string, Flag>>;

type Name = keyof typeof table;
const flags: Readonly<Record<Name, Flag>> = table;

/** What `--help` shows. */
export const usage: string = [
  'usage: manager [flags]',
  '',
  ...Object.entries(flags).map(
    ([name, { initial, help }]) => `  -${name.padEnd(30)} ${help} (default ${initial || 'none'})`,
  ),
  '',
].join('\n');

const isName = (name: string): name is Name => Object.hasOwn(flags, name);

const truth: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true])),
  ...Object.fromEntries(['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false])),
};

/**
 * Reads a command line as Go's flags are written: one or two dashes, `-name=value` or `-name value`, switches without a value.
 * @throws StartError for a flag that is not known, lacks its value or has a wrong one, and for words that are no flags
 */
export function parseFlags(args: readonly string[]): Flags {
  const values = readValues(args);
  const text = (name: Name) => values.get(name) ?? flags[name].initial;
  const metrics = addressOf('metrics-bind-address', text('metrics-bind-address'));
  const health = addressOf('health-probe-bind-address', text('health-probe-bind-address'));
  return {
    ...(metrics ? { metrics } : {}),
    ...(health ? { health } : {}),
    leaderElect: truth[text('leader-elect')] ?? false,
    certificateDirectory: text('webhook-certificate-directory'),
    configDirectory: text('operator-cfg-directory'),
    caFile: text('ca-file'),
    failover: truth[text('failover')] ?? true,
    logLevel: levelOf(text('zap-log-level'), truth[text('zap-devel')] ?? false),
    help: truth[text('help')] ?? false,
  };
}

function readValues(args: readonly string[]): ReadonlyMap<Name, string> {
  const values = new Map<Name, string>();
  const rest = args.values();
  for (const arg of rest) {
    const [, given = '', assigned] = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
    const name = given === 'h' ? 'help' : given;
    if (!isName(name)) throw new StartError(`there is no flag ${arg}; -help shows those there are`);
    const value = assigned ?? (flags[name].switch ? 'true' : rest.next().value);
    if (value === undefined) throw new StartError(`the flag -${name} lacks its value`);
    if (flags[name].switch && truth[value] === undefined)
      throw new StartError(`the flag -${name} is true or false, not ${JSON.stringify(value)}`);
    values.set(name, value);
  }
  return values;
}

function addressOf(name: Name, text: string): Address | undefined {
  if (text === '0' || text === '') return undefined;
  const [, bracketed, plain, digits = ''] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65535)
    throw new StartError(`the flag -${name} is HOST:PORT, :PORT or 0, not ${JSON.stringify(text)}`);
  const host = bracketed || plain;
  return host ? { host, port } : { port };
}

function levelOf(text: string, devel: boolean): Flags['logLevel'] {
  if (text === '') return devel ? 'debug' : 'info';
  const level = text.toLowerCase();
  if (level === 'debug' || level === 'info' || level === 'error') return level;
  if (level === 'panic') return 'error';
  if (/^[1-9]\d*$/.test(level)) return 'debug';
  throw new StartError(
    `the flag -zap-log-level is debug, info, error or a number above 0, not ${JSON.stringify(text)}`,
  );
}
