import { admission } from './admission.ts';
import type { Candidate } from './candidates.ts';
import { coldStart } from './cold-start.ts';
import { converge } from './converge.ts';
import { failover } from './failover.ts';
import { underFaults } from './faults.ts';
import { ingest } from './ingest.ts';
import { startPlane } from './plane.ts';
import { reaction } from './reaction.ts';
import type { Figures } from './result.ts';

/** How much is done in each part. */
export interface Sizes {
  /** Objects beside which an operator starts, one size after the other, growing. */
  readonly starts: readonly number[];
  /** Changes that are replayed. */
  readonly events: number;
  /** Objects created at once. */
  readonly objects: number;
  /** Objects that are there while reactions are measured. */
  readonly waiting: number;
  /** Updates of one object, one after the other. */
  readonly updates: number;
  /** Objects that a standby has to know. */
  readonly known: number;
  /** Creates through webhooks, at each number at once. */
  readonly creates: number;
  /** Milliseconds a started operator is left alone. */
  readonly rest: number;
  /** Milliseconds an operator may take for one step. */
  readonly limit: number;
  /** Times that all but `starts` are repeated. */
  readonly runs: number;
}

export interface PartContext {
  readonly candidates: readonly Candidate[];
  readonly figures: Figures;
  readonly sizes: Sizes;
  /** Tells what is being done. */
  say(text: string): void;
}

/** One part of the measurement, with all candidates. */
export interface Part {
  /** As `--only` names it. */
  readonly name: string;
  /** As its figures name it. */
  readonly scenario: string;
  run(context: PartContext): Promise<void>;
}

type Task = (candidate: Candidate, figures: Figures, sizes: Sizes) => Promise<void>;

/** A part whose candidates have each a server of their own. What one cannot do is told of it, and is not tried again; the others go on. */
function alone(name: string, scenario: string, task: Task, able: (candidate: Candidate) => boolean = () => true): Part {
  return {
    name,
    scenario,
    async run({ candidates, figures, sizes, say }) {
      for (let run = 1; run <= sizes.runs; run++) {
        for (const candidate of candidates) {
          const failed = (why: unknown) => figures.missing({ scenario, what: name, candidate: candidate.name }, why);
          if (figures.hasFailed(scenario, candidate.name)) continue;
          if (!able(candidate)) {
            failed('has no means for it');
            continue;
          }
          say(`${name}, ${candidate.name}, run ${run}`);
          await task(candidate, figures, sizes).catch(failed);
        }
      }
    },
  };
}

/** B1 to B8, in the order of their names. */
export const parts: readonly Part[] = [
  {
    name: 'cold-start',
    scenario: 'B1',
    async run({ candidates, figures, sizes, say }) {
      await using plane = await startPlane();
      await coldStart(plane, candidates, figures, { ...sizes, sizes: sizes.starts, say });
    },
  },
  alone('ingest', 'B3', ingest),
  alone('converge', 'B4', (one, figures, { objects, limit }) => converge(one, figures, { count: objects, limit })),
  alone('reaction', 'B5', (one, figures, { updates, waiting, limit }) =>
    reaction(one, figures, { updates, present: waiting, fresh: 50, limit }),
  ),
  alone('faults', 'B6', underFaults),
  alone(
    'failover',
    'B7',
    (one, figures, { known, limit }) => failover(one, figures, { present: known, limit }),
    ({ election }) => election,
  ),
  alone('admission', 'B8', admission, ({ webhooks }) => webhooks),
];
