import { type Command, InvalidArgumentError } from 'commander';

/** Options of every command that starts a cluster. */
export interface ClusterFlags {
  readonly dataDir?: string;
  readonly fsync: 'always' | 'interval' | 'off';
  readonly port: number;
  readonly kubeconfig?: string;
  readonly nodes: number;
  readonly name: string;
}

function wholeNumber(what: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(`${what} must be a whole number from ${min} to ${max}.`);
    return value;
  };
}

function fsyncPolicy(text: string): ClusterFlags['fsync'] {
  if (text === 'always' || text === 'interval' || text === 'off') return text;
  throw new InvalidArgumentError('must be always, interval or off.');
}

/** `90s`, `2m`, `1h30m` or plain seconds → milliseconds. */
export function duration(text: string): number {
  const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^(\d+(ms|s|m|h))+$/.test(text)) throw new InvalidArgumentError('must be a duration such as 90s, 2m or 1h30m.');
  return [...text.matchAll(/(\d+)(ms|s|m|h)/g)].reduce(
    (sum, [, value, unit]) => sum + Number(value) * (units[unit ?? ''] ?? 0),
    0,
  );
}

export function withClusterFlags(command: Command): Command {
  return command
    .option('--data-dir <dir>', 'keep the state there; without it everything is in memory')
    .option(
      '--fsync <policy>',
      'when a write counts as kept: always, interval (each second), off',
      fsyncPolicy,
      'interval',
    )
    .option('--port <n>', 'port on 127.0.0.1; 0 takes a free one', wholeNumber('--port', 0, 65535), 0)
    .option('--kubeconfig <path>', 'where to write the kubeconfig (mode 0600)')
    .option('--nodes <n>', 'simulated nodes', wholeNumber('--nodes', 0, 5000), 3)
    .option('--name <name>', 'name of the cluster', clusterName, 'default');
}

export function clusterName(text: string): string {
  if (/^[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?$/.test(text)) return text;
  throw new InvalidArgumentError('must be a DNS label: a-z, 0-9 and -, at most 42 characters.');
}
