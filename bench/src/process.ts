import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const entry = fileURLToPath(new URL('../../cox', import.meta.url));

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

/** Starts `./cox` as its users do, as a process of its own, its state under `home`. */
export function startCox(args: readonly string[], home: string): ChildProcess {
  return spawn(entry, args, {
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

/** Memory of a process in MiB: all that is resident, and what of it is its own (not pages of the program's file, which processes share). */
export interface Memory {
  readonly resident: number;
  readonly own: number;
}

export async function memoryOf(pid: number): Promise<Memory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return { resident: mib('VmRSS'), own: mib('RssAnon') };
}

/** User and system CPU milliseconds a process and its ended children have used; the kernel counts in steps of 10. */
export async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0) * 10;
}

/** An empty Node program, start to end: what of a figure is the machine's pace and not ours. */
export async function emptyNode(): Promise<{ readonly ms: number; readonly cpu: number }> {
  const since = performance.now();
  const program = 'const { user, system } = process.cpuUsage(); process.stdout.write(String((user + system) / 1000))';
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program]);
  return { ms: performance.now() - since, cpu: Number(stdout) };
}

/** Sends a signal and waits for the end. */
export function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}
