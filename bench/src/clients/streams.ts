import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pod } from '@coxswain/k8s';
import { sleep, systemClock } from '@coxswain/runtime/core';
import { type Cluster, type ClusterOptions, startCluster } from '@coxswain/testing';
import type { Peer } from './peers.ts';

type Programs = NonNullable<ClusterOptions['programs']>;

const namespace = 'default';
const name = 'web';
/** Milliseconds for all steps. */
const limit = 5 * 60_000;

/** What runs in the pod: it echoes commands and connections, and says something from time to time. */
const programs: Programs = () => ({
  start({ write }) {
    write('line 0\nline 1\n');
    systemClock.after(500, () => write('line 2\n'));
  },
  async exec({ command, streams: { stdin, stdout, stderr, resize } }) {
    if (command[0] === 'fail') {
      stderr?.write('bad luck\n');
      return 7;
    }
    if (command[0] === 'size') {
      for await (const { width, height } of resize ?? []) {
        stdout?.write(`${width}x${height}`);
        break;
      }
      return 0;
    }
    for await (const chunk of stdin ?? []) {
      if (stdout?.write(chunk) === false) await new Promise((resolve) => stdout.once('drain', resolve));
    }
    return 0;
  },
  ports: {
    8080: (connection) => {
      connection.on('error', () => {});
      connection.pipe(connection);
    },
  },
});

async function runningPod({ client }: Cluster): Promise<void> {
  await client.of(Pod).create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name },
    spec: { containers: [{ name: 'main', image: 'echo', ports: [{ containerPort: 8080 }] }] },
  });
  const end = systemClock.monotonic() + 30_000;
  for (;;) {
    const pod = await client.of(Pod).get({ namespace, name });
    if (pod.status?.phase === 'Running') return;
    if (systemClock.monotonic() > end) throw new Error(`pod ${name} is ${pod.status?.phase} after 30s`);
    await sleep(systemClock, 50);
  }
}

/** What the program said, all of it; its own lines tell what passed. */
function output([program, ...args]: Peer['command'], kubeconfig: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', KUBECONFIG: kubeconfig };
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: limit });
    let said = '';
    const keep = (chunk: Buffer) => {
      said += chunk.toString();
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('close', (code) => {
      // A program that broke has told of no failure.
      if (code === 0 || /^FAIL /m.test(said)) resolve(said);
      else resolve(`${said}FAIL: the program ended with ${code ?? 'a signal'}\n`);
    });
  });
}

/** Commands, logs, ports and watches through the library of a client; the program has its steps itself. */
export async function playStreams(
  { name: client, command }: Peer,
  say: (text: string) => void,
): Promise<{ readonly passed: number; readonly failed: number }> {
  await using cluster = await startCluster({ port: 0, programs });
  await runningPod(cluster);
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-peer-'));
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, cluster.kubeconfig(), { mode: 0o600 });
    const said = await output(command, kubeconfig);
    say(said.replaceAll(/^(pass|FAIL) /gm, `$1 ${client}: `).trimEnd());
    const count = (pattern: RegExp) => said.match(pattern)?.length ?? 0;
    return { passed: count(/^pass /gm), failed: count(/^FAIL/gm) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
