import { Command } from 'commander';
import { type ClusterFlags, clusterName, duration, withClusterFlags } from './commands/options.ts';
import type { UpFlags } from './commands/up.ts';
import { messageOf, UnmetError, UsageError } from './errors.ts';
import { stderrLogger } from './log.ts';
import { showSourcePositions } from './source-positions.ts';
import type { Screen } from './view/live.ts';

showSourcePositions(import.meta.filename);

const screen: Screen = {
  isTTY: process.stdout.isTTY === true,
  // a terminal that does not know its size says 0
  get rows() {
    return process.stdout.rows || 24;
  },
  get columns() {
    return process.stdout.columns || 80;
  },
  write: (text) => void process.stdout.write(text),
};

/** The command line. Commands are loaded when they are called, so that starting costs only what is used. */
function commandLine(): Command {
  const program = new Command('cox')
    .description('Operators for databases, and an embedded Kubernetes to run them on.')
    .exitOverride();
  program.configureOutput({ writeErr: (text) => void process.stderr.write(text) });
  program.option('--log-level <level>', 'error, warn, info or debug (standard error)', 'error');
  const logger = () => stderrLogger(String(program.opts()['logLevel']));
  const collect = (value: string, before: readonly string[] = []) => [...before, value];
  withClusterFlags(
    program.command('up').description('start a cluster with the operators, apply files and show them become ready'),
  )
    .option(
      '-f, --file <path>',
      'file or folder to apply; can be given again (default: the MatrixOne example)',
      collect,
    )
    .option('--wait', 'fail when it is not ready in time')
    .option('--once', 'stop the cluster and exit when done')
    .option('--timeout <duration>', 'how long to wait for ready', duration, 120_000)
    .action(async (flags: UpFlags) => (await import('./commands/up.ts')).up(flags, screen, logger()));
  const cluster = program.command('cluster').description('an embedded Kubernetes alone, for any client');
  withClusterFlags(cluster.command('start').description('start a cluster'))
    .option('--detach', 'in the background')
    .action(async (flags: ClusterFlags & { detach?: boolean }) => {
      const { startDetached, startHere } = await import('./commands/cluster.ts');
      const args = process.argv.slice(process.argv.indexOf('start') + 1).filter((arg) => arg !== '--detach');
      return flags.detach
        ? startDetached(flags, import.meta.filename, args, screen)
        : startHere(flags, screen, logger());
    });
  for (const verb of ['stop', 'status'] as const)
    cluster
      .command(verb)
      .description(verb === 'stop' ? 'stop a cluster; data in its data-dir stays' : 'whether a cluster runs, and where')
      .option('--name <name>', 'name of the cluster', clusterName, 'default')
      .action(async ({ name }: { name: string }) => {
        const { clusterStatus, stopCluster } = await import('./commands/cluster.ts');
        return verb === 'stop' ? stopCluster(name, screen) : clusterStatus(name, screen);
      });
  return program;
}

function exitCode(error: unknown): number {
  if (error instanceof Error && error.name === 'CommanderError')
    return 'exitCode' in error && error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError || error instanceof UnmetError) process.stderr.write(`error: ${error.message}\n`);
  else process.stderr.write(`error: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}\n`);
  return error instanceof UsageError ? 2 : 1;
}

try {
  await commandLine().parseAsync();
} catch (error) {
  process.exitCode = exitCode(error);
}
