import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A program in another language. */
export interface Peer {
  readonly name: string;
  /** What must be on PATH. */
  readonly toolchain: string;
  /** Brings its libraries and builds it, outside the repository. Long, the first time. */
  build(): Promise<void>;
  readonly command: readonly [program: string, ...args: string[]];
}

const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'coxswain', 'peers');
const source = (name: string): string => fileURLToPath(new URL(`../../peers/${name}`, import.meta.url));
const limit = 30 * 60_000;

/** @throws Error with the end of what it said */
function run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limit,
    });
    let said = '';
    const keep = (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-2_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ${args.join(' ')} ended with ${code ?? 'a signal'}:\n${said}`));
    });
  });
}

function buildGo(folder: string, program: string): Promise<void> {
  const env = { GOFLAGS: '-mod=readonly -buildvcs=false', CGO_ENABLED: '0' };
  return run('go', ['build', '-o', program, '.'], source(folder), env);
}

const python = join(cache, 'python');

/** What is done over streams, by the library that operators in Go and kubectl stand on. */
export const streamPeer: Peer = {
  name: 'client-go',
  toolchain: 'go',
  build: () => buildGo('go-streams', join(cache, 'go-streams')),
  command: [join(cache, 'go-streams')],
};

/** The greeting operator. */
export const peers: readonly Peer[] = [
  {
    name: 'controller-runtime',
    toolchain: 'go',
    build: () => buildGo('go', join(cache, 'go-greeting')),
    command: [join(cache, 'go-greeting')],
  },
  {
    name: 'kube-rs',
    toolchain: 'cargo',
    build: () =>
      run('cargo', ['build'], source('rust'), {
        CARGO_TARGET_DIR: join(cache, 'rust'),
        CARGO_INCREMENTAL: '0',
      }),
    command: [join(cache, 'rust', 'debug', 'peer')],
  },
  {
    name: 'kopf',
    toolchain: 'python3',
    async build() {
      await mkdir(cache, { recursive: true });
      await run('python3', ['-m', 'venv', python], source('python'));
      const pip = ['install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'];
      await run(join(python, 'bin', 'pip'), pip, source('python'));
    },
    command: [
      join(python, 'bin', 'kopf'),
      'run',
      '--standalone',
      '--all-namespaces',
      '--quiet',
      join(source('python'), 'main.py'),
    ],
  },
];

/** Whether a program is on PATH. */
export async function isThere(program: string): Promise<boolean> {
  const argument = program === 'go' ? 'version' : '--version';
  return run(program, [argument], source('go')).then(
    () => true,
    () => false,
  );
}
