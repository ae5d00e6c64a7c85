/**
 * `./cox bench runtime [--only REGEXP] [--peers REGEXP] [--runs 3] [--sizes 1000,10000,50000] [--objects 5000] [--rest 60] [--json FILE]`: an
 * operator on our runtime beside the same on controller-runtime, the Java Operator SDK, client-node and kopf, each against a real
 * etcd and kube-apiserver, one after the other in one run. `--only` picks scenarios by name (cold-start, converge, …), `--peers` programs.
 * `bench/README.md` says what is measured. A program whose toolchain is missing is left out, and named.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { isThere } from './clients/peers.ts';
import { admission } from './echo/admission.ts';
import { type Candidate, candidates } from './echo/candidates.ts';
import { coldStart } from './echo/cold-start.ts';
import { converge } from './echo/converge.ts';
import { failover } from './echo/failover.ts';
import { underFaults } from './echo/faults.ts';
import { ingest } from './echo/ingest.ts';
import { startPlane } from './echo/plane.ts';
import { reaction } from './echo/reaction.ts';
import { Figures } from './echo/result.ts';
import { markdown } from './echo/table.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    peers: { type: 'string', default: '' },
    runs: { type: 'string', default: '3' },
    sizes: { type: 'string', default: '1000,10000,50000' },
    objects: { type: 'string', default: '5000' },
    rest: { type: 'string', default: '60' },
    json: { type: 'string' },
  },
});

const say = (text: string): void => {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
};
const runs = Number(values.runs);
const limit = 600_000;

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
const all = await built();

async function timesEach(
  what: string,
  task: (candidate: Candidate) => Promise<void>,
  able: (candidate: Candidate) => boolean = () => true,
): Promise<void> {
  for (let run = 1; run <= runs; run++) {
    for (const candidate of all.filter(able)) {
      say(`${what}, ${candidate.name}, run ${run}`);
      await task(candidate);
    }
  }
}

const scenarios: Readonly<Record<string, () => Promise<void>>> = {
  async 'cold-start'() {
    await using plane = await startPlane();
    const sizes = values.sizes.split(',').map(Number);
    await coldStart(plane, all, figures, { sizes, runs, limit, rest: Number(values.rest) * 1000, say });
  },
  ingest: () => timesEach('ingest', (one) => ingest(one, figures, { events: 100_000, limit: 300_000 })),
  converge: () => timesEach('converge', (one) => converge(one, figures, { count: Number(values.objects), limit })),
  reaction: () =>
    timesEach('reaction', (one) => reaction(one, figures, { updates: 300, present: 5_000, fresh: 50, limit: 300_000 })),
  faults: () => timesEach('faults', (one) => underFaults(one, figures, { limit: 180_000 })),
  failover: () =>
    timesEach(
      'failover',
      (one) => failover(one, figures, { present: 10_000, limit: 120_000 }),
      ({ election }) => election,
    ),
  admission: () =>
    timesEach(
      'admission',
      (one) => admission(one, figures, { creates: 1_000 }),
      ({ webhooks }) => webhooks,
    ),
};

const only = new RegExp(values.only);
for (const [name, scenario] of Object.entries(scenarios)) if (only.test(name)) await scenario();
process.stdout.write(markdown(figures.all));
if (values.json) {
  await mkdir(dirname(values.json), { recursive: true });
  await writeFile(values.json, `${JSON.stringify(figures.all, undefined, 2)}\n`);
}
