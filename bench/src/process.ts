import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));

/** A port of 127.0.0.1 that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** Starts `cox` with the given words as a process of its own, its state under `home`. */
export function startCox(args: readonly string[], home: string): ChildProcess {
  return spawn(process.execPath, [entry, ...args], {
    env: { ...process.env, COX_HOME: home },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request(url, { rejectUnauthorized: false, timeout: 1000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    call.once('error', () => resolve(false));
    call.once('timeout', () => call.destroy());
    call.end();
  });
}

/** Milliseconds from `since` until `url` answers 200 over TLS; asks again at once. @throws Error after `limit` milliseconds */
export async function untilAnswer(url: string, since: number, limit = 60_000): Promise<number> {
  while (performance.now() - since < limit) {
    if (await answers(url)) return performance.now() - since;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error(`${url} did not answer within ${limit / 1000}s`);
}

/** Resident memory of a process in MiB. */
export async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}

/** User and system CPU milliseconds a process has used. */
export async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Sends a signal and waits for the end. */
export function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}
