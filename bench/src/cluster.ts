/**
 * `./cox bench cluster [--pods 1000] [--many 10000] [--only REGEXP] [--json]`: how fast an embedded cluster runs pods, and what they weigh. A
 * Deployment on 20 simulated nodes from its creation to all ready, first in a fresh process and again after its deletion; many
 * pods; memory of a pod and of a node; three PostgreSQL servers on a node that runs processes. Each in a process of its own.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Memory, Pods, Servers, Sizes } from './pods/results.ts';
import type { Cost } from './pods/world.ts';

const program = fileURLToPath(new URL('./pods/child.ts', import.meta.url));
/** Pods and nodes by whose memory that of one is told. */
const weighed = 500;

interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: 's' | 'KiB';
  /** CPU seconds. */
  readonly cpu?: number;
  readonly target?: string;
}

/** Runs a step in a process of its own, from the sources. */
function inProcess<T>(step: string, count: number): Promise<T> {
  const child = fork(program, [step, String(count)], { execArgv: ['--expose-gc'] });
  return new Promise((resolve, reject) => {
    let found: T | undefined;
    child.on('message', (message) => {
      found = message as T;
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      if (found === undefined) reject(new Error(`the process for ${step} ended with ${code} and no result`));
      else resolve(found);
    });
  });
}

const timed = (what: string, { seconds, cpu }: Cost, target?: string): Row => ({
  what,
  value: seconds,
  unit: 's',
  cpu,
  ...(target ? { target } : {}),
});

async function pods(count: number): Promise<Row[]> {
  const { cold, gone, warm } = await inProcess<Pods>('pods', count);
  return [
    timed(`${count} pods, created to ready, fresh process`, cold, '3 s'),
    timed(`${count} pods, deleted to gone`, gone),
    timed(`${count} pods, again in the same process`, warm),
  ];
}

async function many(count: number): Promise<Row[]> {
  const { cold } = await inProcess<Pick<Pods, 'cold'>>('many', count);
  return [timed(`${count} pods, created to ready`, cold, '30 s')];
}

async function memory(): Promise<Row[]> {
  const { count, empty, withNodes, withPods } = await inProcess<Sizes>('sizes', weighed);
  const each = (what: string, before: Memory, after: Memory): Row[] =>
    (['heap', 'resident'] as const).map((kind) => ({
      what: `${kind === 'heap' ? 'heap' : 'resident memory'} for each simulated ${what}`,
      value: (after[kind] - before[kind]) / count / 1024,
      unit: 'KiB',
    }));
  return [...each('node', empty, withNodes), ...each('pod', withNodes, withPods)];
}

async function postgres(): Promise<Row[]> {
  const { ready, stop, processes } = await inProcess<Servers>('servers', 0);
  return [
    timed('3 PostgreSQL servers, applied to ready', ready),
    timed('  the cluster with them stopped', stop),
    { what: '  CPU of their own processes', value: processes, unit: 's' },
  ];
}

const number = (value: number): string => value.toFixed(value < 100 ? 2 : 0);

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ what, value, unit, cpu, target }) => [
    what,
    `${number(value)} ${unit}`,
    cpu === undefined ? '' : `${number(cpu)} s`,
    target ?? '',
  ]);
  const head = ['', 'value', 'CPU', 'target'];
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '1000' },
    many: { type: 'string', default: '10000' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
});
const parts = {
  pods: () => pods(Number(values.pods)),
  many: () => many(Number(values.many)),
  memory,
  postgres,
};
const only = new RegExp(values.only);
const rows: Row[] = [];
for (const [name, part] of Object.entries(parts)) if (only.test(name)) rows.push(...(await part()));
process.stdout.write(values.json ? `${JSON.stringify(rows, undefined, 2)}\n` : table(rows));
