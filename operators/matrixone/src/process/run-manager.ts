import { defaultConnection } from '@coxswain/runtime/client';
import { jsonLogger } from '@coxswain/runtime/core';
import { type ProgramProcess, runUntilSignal } from '@coxswain/runtime/manager';
import { readConfig } from './config.ts';
import { StartError } from './errors.ts';
import { parseFlags, usage } from './flags.ts';
import { setUp } from './set-up.ts';

/** What the program needs of its process: `process` of Node is one. */
export interface ManagerProcess extends ProgramProcess {
  /** The program and its script come first. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The whole life of the operator's process, from its command line to its exit code: 0 when it was stopped, 1 when it could not be started
 * or lost its lease, 2 for a command line that cannot be used.
 *
 * | variable | |
 * | --- | --- |
 * | `POD_NAME`, `POD_NAMESPACE` | which pod this is: who holds the lease, and where the lease is. Absent: the connection's namespace |
 * | `POD_IP` | the pod's address |
 * | `ENABLE_WEBHOOKS` | `false`: no webhooks are served, and nothing is filled in that a spec leaves out, as by upstream's operator |
 * | `FILL_DEFAULTS` | `true`: without webhooks it is filled in all the same |
 * | `KUBECONFIG` | outside of a cluster |
 */
export async function runManager(process: ManagerProcess): Promise<void> {
  const { argv, env, stderr } = process;
  const flags = readFlags(argv.slice(2));
  if (typeof flags === 'string' || flags.help) {
    stderr.write(typeof flags === 'string' ? `${flags}\n` : usage);
    process.exit(typeof flags === 'string' ? 2 : 0);
    return;
  }
  const log = jsonLogger({ write: (line) => stderr.write(line), level: flags.logLevel });
  const start = async () => {
    const config = await readConfig(flags.configDirectory);
    const connection = await defaultConnection({ env });
    const { POD_NAME: name = 'matrixone-operator', POD_NAMESPACE: namespace = connection.namespace, POD_IP: ip } = env;
    const pod = { name, namespace, ...(ip ? { ip } : {}) };
    const webhooks = env['ENABLE_WEBHOOKS'] !== 'false';
    return setUp({
      flags,
      config,
      connection,
      pod,
      log,
      webhooks,
      defaults: webhooks || env['FILL_DEFAULTS'] === 'true',
    });
  };
  await runUntilSignal(start, { log, process, onRunning: () => log.info({}, 'the controllers run') });
}

function readFlags(args: readonly string[]): ReturnType<typeof parseFlags> | string {
  try {
    return parseFlags(args);
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
}
