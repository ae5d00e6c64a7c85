import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dialTcp } from '@coxswain/operator-matrixone/morpc';
import { type Clock, jsonLogger, messageOf, type Random, sleep } from '@coxswain/runtime/core';
import { type Flags, parseFlags } from './config/flags.ts';
import { readLaunchFile, readServiceConfig, type ServiceConfig } from './config/service-config.ts';
import { type Faults, readFaults } from './nodes/faults.ts';
import { ownAddress } from './nodes/own-address.ts';
import { startService } from './nodes/start.ts';
import { type Service, ServiceEnd, type Surroundings } from './nodes/surroundings.ts';
import { accessOf, openStore, type Place, type S3Access } from './storage/index.ts';

/** What the program has from its process. */
export interface Program {
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by SIGTERM and SIGINT. Only heard once everything has started, as with the real one. */
  readonly stop: AbortSignal;
  /** Takes the lines of the log, each with its line break. */
  readonly write: (line: string) => void;
  /** Takes what is said on standard output. */
  readonly say: (text: string) => void;
  /** Told once everything has started. */
  readonly started?: (services: readonly Service[]) => void;
}

/** The release the stand-in says it is. */
const release = 'v4.2.0';
/** Milliseconds between two looks at whether the process is to crash. */
const crashCheck = 500;

async function configsOf(flags: Flags): Promise<readonly ServiceConfig[]> {
  const { cfg, launch, withProxy } = flags;
  if (cfg === undefined && launch === undefined) throw new ServiceEnd(2, 'no configuration: give -cfg or -launch');
  const files = cfg !== undefined ? [cfg] : readLaunchFile(await readFile(launch ?? '', 'utf8'), withProxy);
  return Promise.all(files.map(async (file) => readServiceConfig(await readFile(file, 'utf8'))));
}

/** Starts all services together, as they wait for each other; those that run are in `services`, also when another one fails. */
async function startAll(configs: readonly ServiceConfig[], surroundings: Surroundings, services: Service[]) {
  const delay = Number((await surroundings.faults.get('slow-start')) ?? 0);
  if (delay > 0) await sleep(surroundings.clock, delay);
  const start = async (config: ServiceConfig) => services.push(await startService(config, surroundings));
  await Promise.all(configs.map(start));
}

/** Rejects when a fault wants the process to end. */
async function crashed(clock: Clock, faults: Faults, signal: AbortSignal): Promise<never> {
  for (;;) {
    await sleep(clock, crashCheck, signal);
    if ((await faults.get('crash')) !== undefined) throw new ServiceEnd(2, 'told to crash');
  }
}

async function serve(flags: Flags, program: Program): Promise<void> {
  const { clock, random, env, stop, write } = program;
  const logger = jsonLogger({ write, clock, level: env['MO_LOG_LEVEL'] === 'debug' ? 'debug' : 'info' });
  const configs = await configsOf(flags);
  const file = env['MO_FAULTS_FILE'] ?? join(configs[0]?.dataDir ?? '.', 'faults');
  const faults = readFaults(env['MO_FAULTS'] ?? '', file, (why) =>
    logger.error({ why }, 'these faults cannot be read'),
  );
  const commitId = env['MO_COMMIT'] ?? '';
  const over = new AbortController();
  const crash = crashed(clock, faults, over.signal);
  crash.catch(() => {});
  const open = (place: Place, access: S3Access = accessOf(env)) => openStore(place, access);
  const own = await ownAddress(env);
  const base = { clock, random, logger, dial: dialTcp, faults, openStore: open, commitId };
  const surroundings = { ...base, ...(own === undefined ? {} : { ownAddress: own }) };
  const services: Service[] = [];
  try {
    await Promise.race([startAll(configs, surroundings, services), crash]);
    program.started?.(services);
    const asked = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([stop.aborted ? undefined : asked, crash]);
  } finally {
    over.abort(new Error('the program is over'));
    await Promise.all(services.map((service) => service.stop()));
  }
  logger.info({}, 'Shutdown complete');
}

/**
 * Runs the program until it is asked to stop.
 * @returns its exit code: 0 after a stop, 2 where the real one panics, 1 where it ends itself by a fatal line
 */
export async function run(args: readonly string[], program: Program): Promise<number> {
  try {
    const flags = parseFlags(args);
    if (flags.version) {
      program.say(`MatrixOne build info:\n  Stand-in of version: ${release}\n`);
      return 0;
    }
    await serve(flags, program);
    return 0;
  } catch (error) {
    const code = error instanceof ServiceEnd ? error.code : 2;
    program.write(`${code === 1 ? 'fatal' : 'panic'}: ${messageOf(error)}\n`);
    return code;
  }
}
