/**
 * `./cox bench runtime [--only REGEXP] [--peers REGEXP] [--out FOLDER] [--runs 1] [--sizes 1000,10000] [--events 100000] [--objects 3000]
 * [--waiting 3000] [--updates 200] [--known 5000] [--creates 500] [--rest 15] [--limit 120]`: an operator on our runtime beside the same on
 * controller-runtime, kube-rs, the Java Operator SDK, client-node and kopf, each against a real etcd and kube-apiserver, one after the
 * other in one run. `--only` picks parts by name (cold-start, converge, …), `--peers` programs, `--limit` says how many seconds one may
 * take for a step. The table goes to standard output, and with all figures into `runtime.md` and `runtime.json` of a folder, `.cox/bench`
 * unless told. `bench/README.md` says what is measured. A program whose toolchain is missing is left out, and named.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isThere } from './clients/peers.ts';
import { type Candidate, candidates } from './echo/candidates.ts';
import { type Part, parts, type Sizes } from './echo/parts.ts';
import { Figures } from './echo/result.ts';
import { markdown } from './echo/table.ts';

const text = (value: string) => ({ type: 'string', default: value }) as const;
const { values } = parseArgs({
  options: {
    only: text(''),
    peers: text(''),
    out: text(fileURLToPath(new URL('../../.cox/bench', import.meta.url))),
    runs: text('1'),
    sizes: text('1000,10000'),
    events: text('100000'),
    objects: text('3000'),
    waiting: text('3000'),
    updates: text('200'),
    known: text('5000'),
    creates: text('500'),
    rest: text('15'),
    limit: text('120'),
  },
});

/** @throws Error when an option is no positive number */
function positive(name: string, value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} ${value}: must be a whole number from 1`);
  return number;
}

const sizes: Sizes = {
  starts: values.sizes
    .split(',')
    .map((one) => positive('sizes', one))
    .sort((a, b) => a - b),
  events: positive('events', values.events),
  objects: positive('objects', values.objects),
  waiting: positive('waiting', values.waiting),
  updates: positive('updates', values.updates),
  known: positive('known', values.known),
  creates: positive('creates', values.creates),
  rest: positive('rest', values.rest) * 1000,
  limit: positive('limit', values.limit) * 1000,
  runs: positive('runs', values.runs),
};

const say = (line: string): void => {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
};

async function built(): Promise<Candidate[]> {
  const chosen = new RegExp(values.peers);
  const ready: Candidate[] = [];
  for (const candidate of candidates.filter(({ name }) => chosen.test(name))) {
    if (!(await isThere(candidate.toolchain))) {
      say(`SKIPPED ${candidate.name}: no ${candidate.toolchain} on PATH`);
      continue;
    }
    say(`building ${candidate.name}`);
    try {
      await candidate.build();
      ready.push(candidate);
    } catch (error) {
      say(`SKIPPED ${candidate.name}: it cannot be built: ${error}`);
    }
  }
  return ready;
}

const figures = new Figures();
const table = (): string => `${markdown(figures.all)}\nOn ${all.map(({ on }) => on).join(', ')}.\n`;

/** After each part, so that a run that is broken off has not been for nothing. */
async function keep(): Promise<void> {
  await mkdir(values.out, { recursive: true });
  await writeFile(join(values.out, 'runtime.md'), table());
  const result = { on: Object.fromEntries(all.map(({ name, on }) => [name, on])), sizes, figures: figures.all };
  await writeFile(join(values.out, 'runtime.json'), `${JSON.stringify(result, undefined, 2)}\n`);
}

async function measure(part: Part): Promise<void> {
  const since = performance.now();
  try {
    await part.run({ candidates: all, figures, sizes, say });
  } catch (error) {
    for (const { name } of all) figures.missing({ scenario: part.scenario, what: part.name, candidate: name }, error);
  }
  say(`${part.name} took ${((performance.now() - since) / 60_000).toFixed(1)} minutes`);
  await keep();
}

const all = await built();
const only = new RegExp(values.only);
for (const part of parts.filter(({ name }) => only.test(name))) await measure(part);
process.stdout.write(table());
