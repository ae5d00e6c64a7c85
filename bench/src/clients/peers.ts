import { join } from 'node:path';
import { runProgram } from '@coxswain/testing';
import { buildGo, buildPython } from '../peers/build.ts';
import { peerCache as cache, peerSource as source } from '../peers/folders.ts';

/** A program in another language. */
export interface Peer {
  readonly name: string;
  /** What must be on PATH. */
  readonly toolchain: string;
  /** Brings its libraries and builds it, outside the repository. Long, the first time. */
  build(): Promise<unknown>;
  readonly command: readonly [program: string, ...args: string[]];
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
      runProgram('cargo', ['build'], {
        cwd: source('rust'),
        env: { CARGO_TARGET_DIR: join(cache, 'rust'), CARGO_INCREMENTAL: '0' },
      }),
    command: [join(cache, 'rust', 'debug', 'peer')],
  },
  {
    name: 'kopf',
    toolchain: 'python3',
    build: () => buildPython('python', python),
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
  return runProgram(program, [argument], { cwd: source('go') }).then(
    () => true,
    () => false,
  );
}
