import { type Command, InvalidArgumentError, Option } from 'commander';

/** Options of every command that starts a cluster. */
export interface ClusterFlags {
  readonly dataDir?: string;
  readonly fsync: 'always' | 'interval' | 'off';
  readonly port: number;
  readonly kubeconfig?: string;
  /** Absent: {@link defaultNodes} (none beside nodes that run processes), and those the data directory has. */
  readonly nodes?: number;
  /** Nodes whose containers are processes of this machine; absent: none. */
  readonly processNodes?: number;
  /** What network their pods have; absent: `loopback`. */
  readonly podNetwork?: 'loopback' | 'namespaces';
  /** Where pods in namespaces have their addresses; absent: 10.244.0.0/16. */
  readonly podNetworkCidr?: string;
  /** Folders of images for these, besides those that come along. */
  readonly images?: readonly string[];
  /** Serve the OpenKruise kinds and run their controllers; default true. */
  readonly kruise?: boolean;
  readonly name: string;
}

/** Simulated nodes when nothing is said. */
export const defaultNodes = 3;

function wholeNumber(what: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(`${what} must be a whole number from ${min} to ${max}.`);
    return value;
  };
}

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** `90s`, `2m`, `1h30m` or plain seconds → milliseconds. */
export function parseDuration(text: string): number {
  if (/^\d+$/.test(text)) return Number(text) * units.s;
  if (!/^(\d+(ms|s|m|h))+$/.test(text))
    throw new InvalidArgumentError('must be a duration such as 90s, 2m or 1h30m; a bare number is seconds.');
  return [...text.matchAll(/(\d+)(ms|s|m|h)/g)].reduce(
    (sum, [, value, unit]) => sum + Number(value) * units[unit as keyof typeof units],
    0,
  );
}

/** Milliseconds as a person says them: `100ms`, `2s`, `2.5s`. */
export function formatDuration(ms: number): string {
  return ms < 1000 ? `${ms}ms` : `${Number((ms / 1000).toFixed(1))}s`;
}

/** How long `up` waits. */
export function timeoutOption(): Option {
  return new Option('--timeout <duration>', 'how long to wait for ready: 90s, 2m, 1h30m; a bare number is seconds')
    .argParser(parseDuration)
    .default(120_000, '120s');
}

export function logLevelOption(): Option {
  return new Option('--log-level <level>', 'what is logged to standard error, as JSON lines')
    .choices(['error', 'warn', 'info', 'debug'])
    .default('error');
}

export function withClusterFlags(command: Command): Command {
  return command
    .option('--data-dir <dir>', 'keep the state there; without it everything is in memory')
    .addOption(
      new Option('--fsync <policy>', 'when a write counts as kept: before it is answered, within a second, never')
        .choices(['always', 'interval', 'off'])
        .default('interval'),
    )
    .option('--port <n>', 'port on 127.0.0.1; 0 takes a free one', wholeNumber('--port', 0, 65535), 0)
    .option(
      '--kubeconfig <path>',
      'where to write the kubeconfig (mode 0600), which stays there (default: in the state of the cluster, until it stops)',
    )
    .option(
      '--nodes <n>',
      `simulated nodes (default: ${defaultNodes}, or as many as the data-dir has; fewer than it has removes some, with their pods)`,
      wholeNumber('--nodes', 0, 5000),
    )
    .option(
      '--process-nodes <n>',
      'nodes whose containers are processes of this machine (Linux); with some of them there are no simulated ones unless --nodes says so',
      wholeNumber('--process-nodes', 0, 16),
    )
    .addOption(
      new Option(
        '--pod-network <network>',
        'what pods of process-backed nodes have: addresses of 127.0.0.0/8 in the network of this machine (default), or a network namespace each, where programs may listen at any address (root, or user namespaces)',
      ).choices(['loopback', 'namespaces']),
    )
    .option('--pod-network-cidr <cidr>', 'where pods in namespaces have their addresses (default: 10.244.0.0/16)')
    .option(
      '--images <dir>',
      'a folder with a folder for each image that process-backed nodes know, besides those that come along; can be given again',
      (value: string, before: readonly string[] = []) => [...before, value],
    )
    .addOption(nameOption());
}

export function nameOption(): Option {
  return new Option('--name <name>', 'name of the cluster; clusters that run side by side need different ones')
    .argParser(clusterName)
    .default('default');
}

function clusterName(text: string): string {
  if (/^[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?$/.test(text)) return text;
  throw new InvalidArgumentError('must be a DNS label: a-z, 0-9 and -, at most 42 characters.');
}
