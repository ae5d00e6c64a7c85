/**
 * `./cox bench apiserver [--seconds 4] [--objects 100000] [--peer-objects 10000] [--only REGEXP] [--no-peer]`: requests per second, and the server's CPU for each, of the
 * embedded API server and of etcd + kube-apiserver, one after the other in the same run under the same client: creates, reads, patches,
 * applies, watch fan-out over TLS, and memory with many objects.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type LoadResult, loadServer } from './load/scenario.ts';
import type { ServerUnderLoad } from './load/server.ts';
import { withControlPlane } from './peers/control-plane.ts';
import { end, freePort, startCox, untilAnswer } from './process.ts';

/** Wanted per second. */
const targets: Readonly<Record<string, number>> = {
  'create ConfigMap': 3000,
  'create Pod': 2000,
  'create custom resource': 1500,
  'GET ConfigMap': 10_000,
  'LIST 500': 200,
  'apply Deployment': 667,
  'event to 100 watchers': 200_000,
  'event to 1000 watchers': 200_000,
};

async function credentials(kubeconfig: string): Promise<Pick<ServerUnderLoad, 'cert' | 'key'>> {
  for (let left = 1000; left > 0; left--) {
    const text = await readFile(kubeconfig, 'utf8').catch(() => '');
    const pem = (name: string) => Buffer.from(new RegExp(`${name}: (\\S+)`).exec(text)?.[1] ?? '', 'base64').toString();
    const [cert, key] = [pem('client-certificate-data'), pem('client-key-data')];
    if (cert && key) return { cert, key };
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${kubeconfig} has no client certificate`);
}

async function withEmbedded<T>(use: (server: ServerUnderLoad) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'coxswain-bench-'));
  const port = await freePort();
  const kubeconfig = join(home, 'kubeconfig');
  const flags = ['--port', String(port), '--nodes', '0', '--kubeconfig', kubeconfig, '--name', `bench-${port}`];
  const child = startCox(['cluster', 'start', ...flags], home);
  try {
    const url = `https://127.0.0.1:${port}`;
    await untilAnswer(`${url}/readyz`, performance.now());
    return await use({ url, pids: [child.pid ?? 0], ...(await credentials(kubeconfig)) });
  } finally {
    await end(child);
    await rm(home, { recursive: true, force: true });
  }
}

const widths = [24, 8, 8, 8, 8, 8, 10, 8, 8];

function row(...cells: readonly string[]): void {
  const text = cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)));
  process.stdout.write(`${text.join('  ').trimEnd()}\n`);
}

const whole = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(value < 10 ? 1 : 0));

function times(a: number | undefined, b: number | undefined): string {
  return a === undefined || b === undefined ? '-' : `${(a / b).toFixed(1)}x`;
}

const perCore = (micros: number): string => whole(1_000_000 / micros);

function print(own: LoadResult, peer: LoadResult | undefined): void {
  row('', 'CPU us', 'peer', 'less', 'core/s', 'target', 'seen/s', 'peer', 'ratio');
  for (const [name, cost] of Object.entries(own.costs)) {
    const other = peer?.costs[name];
    const target = targets[name];
    row(
      name,
      whole(cost.micros),
      whole(other?.micros),
      times(other?.micros, cost.micros),
      perCore(cost.micros),
      target === undefined ? '-' : whole(target),
      whole(cost.rate),
      whole(other?.rate),
      times(cost.rate, other?.rate),
    );
  }
  const memory = ({ empty, full, objects }: LoadResult['memory']) =>
    `${whole(empty)} MiB, with ${objects} objects more ${whole(full)} MiB`;
  process.stdout.write(`memory                    ${memory(own.memory)} (target 400 MiB with 100000)\n`);
  process.stdout.write(`memory of the peer        ${peer ? memory(peer.memory) : 'not built on this machine'}\n`);
}

const { values } = parseArgs({
  allowNegative: true,
  options: {
    only: { type: 'string', default: '' },
    peer: { type: 'boolean', default: true },
    seconds: { type: 'string', default: '4' },
    objects: { type: 'string', default: '100000' },
    'peer-objects': { type: 'string', default: '10000' },
  },
});
const seconds = Number(values.seconds);
const options = { seconds, only: new RegExp(values.only, 'i') };
const own = await withEmbedded((server) => loadServer(server, { ...options, objects: Number(values.objects) }));
const peer = values.peer
  ? await withControlPlane((plane) => loadServer(plane, { ...options, objects: Number(values['peer-objects']) }))
  : undefined;
print(own, peer);
