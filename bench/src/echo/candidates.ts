import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '@coxswain/testing';
import { rolldown } from 'rolldown';
import { buildGo, buildPython, buildRust } from '../peers/build.ts';
import { peerCache, peerSource } from '../peers/folders.ts';

/** A program that plays the Echo operator. */
export interface Candidate {
  readonly name: string;
  /** Name and version of what it stands on. */
  readonly on: string;
  /** What must be on PATH to build it. */
  readonly toolchain: string;
  /** Answers admission webhooks. */
  readonly webhooks: boolean;
  /** Elects a leader by a Lease. */
  readonly election: boolean;
  /** Builds it, outside the repository. Long, the first time. */
  build(): Promise<unknown>;
  readonly command: readonly [program: string, ...args: string[]];
}

const ours = join(peerCache, 'echo-coxswain', 'main.mjs');
const js = join(peerCache, 'echo-js');
const python = join(peerCache, 'echo-python');
const java = join(peerCache, 'echo-java');
const rust = join(peerCache, 'echo-rust');

/** One file, as an image would hold it: much quicker to start than hundreds. */
async function bundle(input: string, dir: string): Promise<void> {
  const sources = await rolldown({ input, platform: 'node', external: [/^node:/] });
  await sources.write({ dir, entryFileNames: 'main.mjs', format: 'esm' });
}

/** Ours first; all others are compared with controller-runtime. */
export const candidates: readonly Candidate[] = [
  {
    name: 'coxswain',
    on: '@coxswain/runtime',
    toolchain: 'node',
    webhooks: true,
    election: true,
    build: () => bundle(fileURLToPath(new URL('./main.ts', import.meta.url)), dirname(ours)),
    command: [process.execPath, '--max-semi-space-size=4', ours],
  },
  {
    name: 'controller-runtime',
    on: 'controller-runtime v0.25.2',
    toolchain: 'go',
    webhooks: true,
    election: true,
    build: () => buildGo('echo-go', join(peerCache, 'echo-go')),
    command: [join(peerCache, 'echo-go')],
  },
  {
    name: 'kube-rs',
    on: 'kube 5.0.0',
    toolchain: 'cargo',
    webhooks: true,
    election: true,
    build: () => buildRust('echo-rust', rust),
    command: [join(rust, 'target', 'release', 'echo')],
  },
  {
    name: 'JOSDK',
    on: 'operator-framework 5.2.3',
    toolchain: 'mvn',
    webhooks: false,
    election: true,
    async build() {
      await cp(peerSource('echo-java'), java, { recursive: true });
      await runProgram('nice', ['-n', '10', 'mvn', '-q', '-B', 'package'], { cwd: java });
    },
    command: ['java', '-Xmx1g', '-jar', join(java, 'target', 'echo.jar')],
  },
  {
    name: 'client-node',
    on: '@kubernetes/client-node 2.0.1',
    toolchain: 'node',
    webhooks: false,
    election: false,
    async build() {
      await cp(peerSource('echo-js'), js, { recursive: true });
      await runProgram('npm', ['ci', '--ignore-scripts'], { cwd: js });
      await bundle(join(js, 'main.js'), join(js, 'dist'));
    },
    command: [process.execPath, join(js, 'dist', 'main.mjs')],
  },
  {
    name: 'kopf',
    on: 'kopf 1.45.2',
    toolchain: 'python3',
    webhooks: true,
    election: false,
    build: () => buildPython('echo-python', python),
    command: [join(python, 'bin', 'python'), join(peerSource('echo-python'), 'main.py')],
  },
];
