import { spawn } from 'node:child_process';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Logger, sleep, systemClock } from '@coxswain/runtime/core';
import { UnmetError, UsageError } from '../errors.ts';
import { nameTaken } from '../state/claim.ts';
import { clusterHome, makeClusterHome } from '../state/home.ts';
import { isRunning, type RunningCluster, readProcessFile } from '../state/process-file.ts';
import type { Screen } from '../view/live.ts';
import type { ClusterFlags } from './options.ts';
import { serveCluster } from './serve.ts';
import { stopSignal, untilAborted } from './signals.ts';

function report(cluster: RunningCluster, screen: Screen): void {
  screen.write(`running: ${cluster.url} (pid ${cluster.pid})\nkubeconfig: ${cluster.kubeconfig}\n`);
  screen.write(`export KUBECONFIG=${cluster.kubeconfig}\n`);
}

/** `cox cluster start`: serves until it is stopped. */
export async function startHere(flags: ClusterFlags, screen: Screen, log: Logger): Promise<void> {
  const stop = stopSignal();
  {
    await using served = await serveCluster(flags, log);
    report(served.running, screen);
    await untilAborted(stop.signal);
  }
  stop.release();
}

/** The process `pid` as a cluster that runs; `undefined` when it does not come to that. */
async function untilRunning(
  home: string,
  pid: number | undefined,
  exited: () => number | undefined,
): Promise<RunningCluster | undefined> {
  const deadline = systemClock.monotonic() + 30_000;
  while (systemClock.monotonic() < deadline && exited() === undefined) {
    const running = await readProcessFile(home);
    if (running && running.pid === pid) return running;
    await sleep(systemClock, 20);
  }
  return undefined;
}

/** `cox cluster start --detach`: the same in a process of its own, which runs `program`; returns when it answers. */
export async function startDetached(
  flags: ClusterFlags,
  program: string,
  args: readonly string[],
  screen: Screen,
): Promise<void> {
  const other = await readProcessFile(clusterHome(flags.name));
  if (other) throw nameTaken(flags.name, other);
  const home = makeClusterHome(flags.name);
  // of several that start at once each has its own; the one that runs gives it its name
  const logFile = join(home, `cluster-${process.pid}.log`);
  const output = await open(logFile, 'w', 0o600);
  const child = spawn(process.execPath, [program, ...args], {
    detached: true,
    stdio: ['ignore', output.fd, output.fd],
  });
  let code: number | undefined;
  child.once('exit', (status) => {
    code = status ?? 1;
  });
  const running = await untilRunning(home, child.pid, () => code);
  await output.close();
  if (running) {
    child.unref();
    await rename(logFile, join(home, 'cluster.log'));
    return report(running, screen);
  }
  if (code === undefined && child.pid !== undefined) process.kill(child.pid, 'SIGTERM');
  const text = (await readFile(logFile, 'utf8')).trim();
  if (code === 2) await rm(logFile);
  throw code === 2
    ? new UsageError(text.replace(/^error: /, ''))
    : new UnmetError(`the cluster did not start (log: ${logFile})\n${text}`);
}

/** `cox cluster stop`: asks it to stop and waits until its process has ended; the state in its data-dir stays. */
export async function stopCluster(name: string, screen: Screen): Promise<void> {
  const running = await readProcessFile(clusterHome(name));
  if (!running) return void screen.write(`no cluster named ${name} is running\n`);
  process.kill(running.pid, 'SIGTERM');
  const deadline = systemClock.monotonic() + 30_000;
  while (await isRunning(running)) {
    if (systemClock.monotonic() > deadline)
      throw new UnmetError(
        `the cluster (pid ${running.pid}) has not stopped after 30s; kill -9 ${running.pid} ends it`,
      );
    await sleep(systemClock, 20);
  }
  screen.write(`stopped: ${running.url} (pid ${running.pid})\n`);
}

/** `cox cluster status`: whether it runs; exits with 1 when it does not. */
export async function clusterStatus(name: string, screen: Screen): Promise<void> {
  const running = await readProcessFile(clusterHome(name));
  if (!running) throw new UnmetError(`no cluster named ${name} is running; start one with: cox cluster start --detach`);
  report(running, screen);
}
