import { jsonLogger, type LogLevel } from '@coxswain/runtime/core';
import { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { withCrdCommands } from './commands/crd-options.ts';
import { withFaultCommands } from './commands/fault-options.ts';
import { withImageCommands } from './commands/image-options.ts';
import { withImportCommands } from './commands/import-options.ts';
import { type ClusterFlags, logLevelOption, nameOption, timeoutOption, withClusterFlags } from './commands/options.ts';
import type { UpFlags } from './commands/up.ts';
import { endQuietly } from './end-quietly.ts';
import { messageOf, UnmetError, UsageError } from './errors.ts';
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

const outro = `
Commands for those who work on this repository, each with its own --help:
  ./cox test [FILTER ...]   lint, types and tests
  ./cox lint                style, types, import directions, docstrings
  ./cox bench NAME          measurements
  ./cox tools [FOLDER]      kubectl and Helm for Linux on x64, by default in .cox/bin
  ./cox plugin [FILE]       kubectl-mo in one file, by default .cox/bin/kubectl-mo: on the PATH it is \`kubectl mo\`
  ./cox pack [FOLDER]       the packages as tarballs, for a project of your own

A cluster's kubeconfig, log and process file are kept in $COX_HOME/NAME, by default ~/.coxswain/NAME.`;

/** The command line. Commands are loaded when they are called, so that starting costs only what is used. */
function commandLine(): Command {
  const program = new Command('cox')
    .description('Operators for databases, and an embedded Kubernetes to run them on.')
    .version(packageJson.version)
    .addHelpText('after', outro)
    .exitOverride();
  program.configureOutput({ writeErr: (text) => void process.stderr.write(text) });
  program.addOption(logLevelOption());
  const logger = () =>
    jsonLogger({ level: program.opts<{ logLevel: LogLevel }>().logLevel, write: (line) => process.stderr.write(line) });
  const collect = (value: string, before: readonly string[] = []) => [...before, value];
  withClusterFlags(
    program.command('up').description('start a cluster with the operators, apply files and show them become ready'),
  )
    .option(
      '-f, --file <path>',
      'file, folder (without its subfolders) or - for standard input; can be given again (default: the MatrixOne example)',
      collect,
    )
    .option('--wait', 'fail when it is not ready in time')
    .option('--once', 'stop the cluster and exit when done')
    .addOption(timeoutOption())
    .action(async (flags: UpFlags) => (await import('./commands/up.ts')).up(flags, screen, logger()));
  const cluster = program.command('cluster').description('an embedded Kubernetes alone, for any client');
  withClusterFlags(cluster.command('start').description('start a cluster'))
    .option('--detach', 'in the background')
    .option('--no-kruise', 'without the OpenKruise kinds and their controllers, for a real OpenKruise')
    .action(async (flags: ClusterFlags & { detach?: boolean }) => {
      const { startDetached, startHere } = await import('./commands/cluster.ts');
      const args = process.argv.slice(2).filter((arg) => arg !== '--detach');
      return flags.detach
        ? startDetached(flags, import.meta.filename, args, screen)
        : startHere(flags, screen, logger());
    });
  for (const verb of ['stop', 'status'] as const)
    cluster
      .command(verb)
      .description(verb === 'stop' ? 'stop a cluster; data in its data-dir stays' : 'whether a cluster runs, and where')
      .addOption(nameOption())
      .action(async ({ name }: { name: string }) => {
        const { clusterStatus, stopCluster } = await import('./commands/cluster.ts');
        return verb === 'stop' ? stopCluster(name, screen) : clusterStatus(name, screen);
      });
  withFaultCommands(cluster, screen);
  withImageCommands(program, screen);
  withImportCommands(program, screen);
  withCrdCommands(program, screen);
  return program;
}

function exitCode(error: unknown): number {
  if (error instanceof Error && error.name === 'CommanderError')
    return 'exitCode' in error && error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError || error instanceof UnmetError) process.stderr.write(`error: ${error.message}\n`);
  else process.stderr.write(`error: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}\n`);
  return error instanceof UsageError ? 2 : 1;
}

endQuietly(process.stdout);
endQuietly(process.stderr);
try {
  await commandLine().parseAsync();
} catch (error) {
  process.exitCode = exitCode(error);
}
