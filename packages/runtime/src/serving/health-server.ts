import { resourceName } from '@coxswain/k8s';
import { checkFunction, checkNumber, checkOptions, messageOf, optionNames, someMilliseconds } from '../core/index.ts';
import type { Manager } from '../manager/types.ts';
import { type Answer, type Listening, PlainServer, type ServerRunnable } from './plain-server.ts';

/** Throws, or rejects, to say what is wrong. */
export type HealthCheck = () => void | Promise<void>;

/** What the probes go by, and where they are served. */
export interface HealthOptions extends Listening {
  readonly manager: Pick<Manager, 'cache' | 'state' | 'clock' | 'pending'>;
  /**
   * Milliseconds an informer may have heard nothing of its server before the operator counts as not ready: a healthy one says something
   * at least every 150 s, by bookmarks or answered probes. Default 240 000.
   */
  readonly longestLag?: number;
  /** Checks of your own for `/healthz`, by name: the process is beyond help and has to be started anew. */
  readonly live?: Readonly<Record<string, HealthCheck>>;
  /** Checks of your own for `/readyz`, by name: it may not be sent requests now. */
  readonly ready?: Readonly<Record<string, HealthCheck>>;
  /** Milliseconds a check may take; default 5 000. */
  readonly timeout?: number;
}

/**
 * Answers the probes of a kubelet at `/healthz` (and `/livez`) and `/readyz`, as controller-runtime does: `ok`, with `?verbose` a line for
 * each check, and each check alone at `/readyz/NAME`. Built in are `manager` (live: it runs, or waits to lead), `started` (ready: the
 * runnables are up, but for those that wait for leadership), `informers` (ready: all have their first state, standbys too) and `lag` (ready:
 * none is older than `longestLag`). Informers that only `dependencies` of actors need do not count: who depends on a kind that cannot be
 * read says so itself, and all others work.
 */
export function healthServer(options: HealthOptions): ServerRunnable {
  checkHealthOptions(options);
  const live: Record<string, HealthCheck> = { manager: () => runs(options), ...options.live };
  const ready: Record<string, HealthCheck> = {
    started: () => started(options),
    informers: () => synced(options),
    lag: () => recent(options),
    ...options.ready,
  };
  const checks: Readonly<Record<string, typeof live>> = { healthz: live, livez: live, readyz: ready };
  return new PlainServer('health server', options, async (path, query) => {
    const [, group = '', name] = path.split('/');
    const all = Object.hasOwn(checks, group) ? checks[group] : undefined;
    if (!all) return undefined;
    if (name === undefined) return answer(group, await outcomes(all, options), query.has('verbose'));
    const check = Object.hasOwn(all, name) ? all[name] : undefined;
    return check && answer(name, await outcomes({ [name]: check }, options), false);
  });
}

const names = optionNames<HealthOptions>({
  manager: true,
  longestLag: true,
  live: true,
  ready: true,
  timeout: true,
  port: true,
  host: true,
});

function checkHealthOptions(options: HealthOptions): void {
  const what = 'healthServer';
  checkOptions(what, options ?? null, names);
  if (typeof options.manager?.cache !== 'object') throw new TypeError(`${what}: give the "manager" that it tells of`);
  checkNumber(what, 'longestLag', options.longestLag, someMilliseconds);
  checkNumber(what, 'timeout', options.timeout, someMilliseconds);
  for (const group of ['live', 'ready'] as const) {
    for (const [name, check] of Object.entries(options[group] ?? {})) {
      checkFunction(what, `${group}.${name}`, check ?? null);
      // It would never be asked for alone.
      if (name === '' || name.includes('/')) throw new TypeError(`${what}: "${name}" names no check; give it a word`);
    }
  }
}

function runs({ manager }: HealthOptions): void {
  if (manager.state === 'stopped') throw new Error('the manager has stopped');
}

function started({ manager: { pending } }: HealthOptions): void {
  if (pending.length > 0) throw new Error(`not up yet: ${pending.join(', ')}`);
}

function synced({ manager }: HealthOptions): void {
  if (manager.state === 'stopping') throw new Error('the manager is stopping');
  const missing = manager.cache.informers().filter(({ hasSynced, optional }) => !hasSynced && !optional);
  if (missing.length === 0) return;
  const kinds = [...new Set(missing.map(({ kind }) => resourceName(kind)))];
  throw new Error(`no first listing yet of ${kinds.join(', ')}`);
}

function recent({ manager, longestLag = 240_000 }: HealthOptions): void {
  const late = manager.cache.informers().filter(({ lag, optional }) => lag > longestLag && !optional);
  if (late.length === 0) return;
  const told = late.map(({ kind, lag }) => `${resourceName(kind)} for ${Math.round(lag / 1000)} s`);
  throw new Error(`nothing was heard of ${told.join(', ')}`);
}

interface Outcome {
  readonly name: string;
  /** Absent: well. */
  readonly error?: string;
}

function outcomes(checks: Readonly<Record<string, HealthCheck>>, options: HealthOptions): Promise<Outcome[]> {
  return Promise.all(Object.entries(checks).map(([name, check]) => outcomeOf(name, check, options)));
}

async function outcomeOf(
  name: string,
  check: HealthCheck,
  { manager, timeout = 5_000 }: HealthOptions,
): Promise<Outcome> {
  const late = Promise.withResolvers<never>();
  const timer = manager.clock.after(timeout, () => late.reject(new Error(`no answer within ${timeout / 1000} s`)));
  try {
    await Promise.race([(async () => check())(), late.promise]);
    return { name };
  } catch (error) {
    return { name, error: messageOf(error) };
  } finally {
    timer.cancel();
  }
}

function answer(group: string, all: readonly Outcome[], verbose: boolean): Answer {
  const failed = all.some(({ error }) => error !== undefined);
  if (!failed && !verbose) return { code: 200, body: 'ok' };
  const lines = all.map(({ name, error }) => (error === undefined ? `[+]${name} ok` : `[-]${name} failed: ${error}`));
  return {
    code: failed ? 500 : 200,
    body: `${[...lines, `${group} check ${failed ? 'failed' : 'passed'}`].join('\n')}\n`,
  };
}
