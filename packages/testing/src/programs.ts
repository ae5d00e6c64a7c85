import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endsWithParent } from './processes/index.ts';
import { type Tool, toolPath } from './tools.ts';

/** How a program ended. */
export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that still runs. */
export interface Running {
  /** Resolves when the output so far matches; rejects when the program ends first or `timeout` milliseconds (default 30 000) pass. */
  until(pattern: RegExp, timeout?: number): Promise<string>;
  stop(): Promise<Finished>;
}

/** A real program, pointed at one cluster. */
export interface ClusterProgram {
  /** Runs to the end, whatever the exit code. `input` goes to its standard input. Given up after 60 s. */
  try(args: readonly string[], input?: string): Promise<Finished>;
  /** Like `try`, and answers the standard output. @throws Error with both outputs when it fails */
  (args: readonly string[], input?: string): Promise<string>;
  start(args: readonly string[]): Running;
  [Symbol.asyncDispose](): Promise<void>;
}

const limit = 60_000;

/**
 * The real kubectl, pointed at one cluster.
 * @param kubeconfig the text of a kubeconfig
 * @param env variables it gets besides `PATH`, `HOME` and `KUBECONFIG`: `KUBE_EDITOR` …
 */
export function kubectlFor(kubeconfig: string, env: Readonly<Record<string, string>> = {}): Promise<ClusterProgram> {
  return programFor('kubectl', kubeconfig, env);
}

/** The real Helm, 4 or 3, pointed at one cluster. @param kubeconfig the text of a kubeconfig */
export function helmFor(kubeconfig: string, major: 3 | 4 = 4): Promise<ClusterProgram> {
  return programFor(major === 4 ? 'helm' : 'helm3', kubeconfig);
}

/** Its kubeconfig, caches and settings live in a private folder that is removed on disposal. */
async function programFor(
  tool: Tool,
  kubeconfig: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ClusterProgram> {
  const program = await toolPath(tool);
  const home = await mkdtemp(join(tmpdir(), 'coxswain-program-'));
  const config = join(home, 'config');
  await writeFile(config, kubeconfig, { mode: 0o600 });
  const launch = (args: readonly string[]) => {
    const child = spawn(...endsWithParent(program, args), {
      env: { PATH: process.env['PATH'] ?? '', HOME: home, KUBECONFIG: config, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    const ended = Promise.withResolvers<Finished>();
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', ended.reject);
    child.once('close', (code) => ended.resolve({ code: code ?? -1, stdout, stderr }));
    return { child, ended: ended.promise, output: () => stdout + stderr };
  };
  const attempt = async (args: readonly string[], input?: string): Promise<Finished> => {
    const { child, ended } = launch(args);
    child.stdin.end(input ?? '');
    const timer = setTimeout(() => child.kill('SIGKILL'), limit);
    return ended.finally(() => clearTimeout(timer));
  };
  const run = async (args: readonly string[], input?: string): Promise<string> => {
    const { code, stdout, stderr } = await attempt(args, input);
    if (code !== 0) throw new Error(`${tool} ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
    return stdout;
  };
  const start = (args: readonly string[]): Running => {
    const { child, ended, output } = launch(args);
    child.stdin.end();
    return {
      until: (pattern, timeout = 30_000) =>
        new Promise((resolve, reject) => {
          const fail = (why: string) =>
            reject(new Error(`${tool} ${args.join(' ')}: ${why}; output so far:\n${output()}`));
          const timer = setTimeout(() => fail(`no ${pattern} after ${timeout / 1000}s`), timeout);
          const look = () => {
            if (!pattern.test(output())) return false;
            clearTimeout(timer);
            resolve(output());
            return true;
          };
          if (look()) return;
          child.stdout.on('data', look);
          ended.then(() => look() || fail('it ended'), reject);
        }),
      stop() {
        child.kill('SIGTERM');
        return ended;
      },
    };
  };
  return Object.assign(run, {
    try: attempt,
    start,
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  });
}
