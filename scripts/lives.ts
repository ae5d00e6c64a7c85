/**
 * The life of each kind of MatrixOne in virtual time. Each comes to the same end, and no invariant breaks. Shared out over the machine's cores.
 *
 *     ./cox test lives [--runs N] [--seed N] [--kinds A,B]              under the faults of N seeds each; default 2,000 from seed 1
 *     ./cox test lives writes [--from N] [--to N] [--kinds A,B]         nothing happens but that the operator dies before its N-th write, or
 *                                                                       after it, and another one follows; default each write of the life
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Cut } from '@coxswain/testing';
import { lives } from '../operators/matrixone/src/scenario/test-fault-lives.ts';
import { undisturbed } from '../operators/matrixone/src/scenario/test-fault-run.ts';
import { optionsOf } from './options.ts';

/** A life that is to be played, and what happens in it: the faults of a seed, or the end of the operator at a write. */
export interface Turn {
  readonly kind: string;
  readonly fate: number | Cut;
}

/** What came of it: what there is to say against it, nothing when all is well; and the seconds of CPU it took. */
export interface Played {
  readonly problems: readonly string[];
  readonly cpu: number;
}

/** Milliseconds after which a life is given up: a hundred times of what one takes, on a machine that is busy. */
const patience = 300_000;
/** Milliseconds between signs of life. */
const pulse = 30_000;
/** What a life leaves behind is of the short-lived kind. */
const resourceLimits = { maxYoungGenerationSizeMb: 64 };
/** Characters that are told of a failure when there are many lives. */
const enough = 1_000;

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** A thread, which ends with this process in any case. One that fails or does not answer is followed by another one. */
class Player {
  #worker: Worker | undefined;

  async play(turn: Turn): Promise<Played> {
    this.#worker ??= new Worker(new URL('./lives-worker.ts', import.meta.url), { resourceLimits });
    const worker = this.#worker;
    const { promise, resolve } = Promise.withResolvers<Played>();
    const lost = (problem: string) => {
      this.#worker = undefined;
      void worker.terminate();
      resolve({ problems: [problem], cpu: 0 });
    };
    const timer = setTimeout(() => lost(`is not over after ${patience / 1000} s`), patience);
    worker.once('message', resolve).once('error', (error) => lost(`ended its thread: ${error}`));
    worker.postMessage(turn);
    const played = await promise;
    clearTimeout(timer);
    worker.removeAllListeners('message').removeAllListeners('error');
    return played;
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }
}

/** What is known of a kind so far. */
class Tally {
  readonly kind: string;
  readonly #fates: readonly Turn['fate'][];
  #played = 0;
  #cpu = 0;
  #failed = 0;

  constructor(kind: string, fates: readonly Turn['fate'][]) {
    this.kind = kind;
    this.#fates = fates;
  }

  get turns(): readonly Turn[] {
    return this.#fates.map((fate) => ({ kind: this.kind, fate }));
  }

  get played(): number {
    return this.#played;
  }

  get failed(): number {
    return this.#failed;
  }

  add({ fate }: Turn, { problems, cpu }: Played): void {
    this.#played++;
    this.#cpu += cpu;
    if (problems.length > 0) this.#tell(fate, problems.join('\n'));
    if (this.#played === this.#fates.length) say(this.#row());
  }

  #tell(fate: Turn['fate'], text: string): void {
    this.#failed++;
    const [what, again] =
      typeof fate === 'number'
        ? [`seed ${fate}`, `--runs 1 --seed ${fate}`]
        : [`cut off ${fate.when} write ${fate.write}`, `writes --from ${fate.write} --to ${fate.write}`];
    say(`FAIL ${this.kind}, ${what}: ${this.#fates.length > 2 ? text.slice(0, enough) : text}`);
    say(`  again: ./cox test lives ${again} --kinds '${this.kind}'`);
  }

  #row(): string {
    const each = (this.#cpu / this.#played).toFixed(2);
    return `${this.kind}: ${this.#played - this.#failed} passed, ${this.#failed} failed, ${each} s of CPU each`;
  }
}

/** Plays all that is there: each kind's first, each kind's second and so on, so that one that is cut short has played all kinds. */
async function play(tallies: readonly Tally[]): Promise<number> {
  const all = tallies.flatMap((tally) => tally.turns.map((turn, i) => ({ tally, turn, i }))).sort((a, b) => a.i - b.i);
  const count = (of: 'played' | 'failed') => tallies.reduce((sum, tally) => sum + tally[of], 0);
  const players = Array.from({ length: Math.min(availableParallelism(), all.length) }, () => new Player());
  say(`${all.length} lives of ${tallies.length} kinds, ${players.length} at a time`);
  const timer = setInterval(() => say(`${count('played')} of ${all.length} played, ${count('failed')} failed`), pulse);
  // One queue for all: who is done takes the next.
  const queue = all.values();
  const playAll = async (player: Player) => {
    for (const { tally, turn } of queue) tally.add(turn, await player.play(turn));
    await player.stop();
  };
  await Promise.all(players.map(playAll));
  clearInterval(timer);
  say(`${all.length - count('failed')} passed, ${count('failed')} failed`);
  return count('failed') === 0 ? 0 : 1;
}

const counted = (count: number, from: number) => Array.from({ length: count }, (_, i) => from + i);

/** What there is to play by the flags; `undefined` when they cannot be followed. */
async function talliesOf(args: readonly string[]): Promise<readonly Tally[] | undefined> {
  const byWrites = args[0] === 'writes';
  const wanted = byWrites
    ? optionsOf(args.slice(1), { from: 1, to: Number.MAX_SAFE_INTEGER }, ['kinds'])
    : optionsOf(args, { runs: 2_000, seed: 1 }, ['kinds']);
  const kinds = wanted?.kinds?.split(',') ?? lives.map(({ kind }) => kind);
  const chosen = lives.filter(({ kind }) => kinds.includes(kind));
  if (!wanted || chosen.length < new Set(kinds).size) return undefined;
  if ('runs' in wanted) return chosen.map(({ kind }) => new Tally(kind, counted(wanted.runs, wanted.seed)));
  const { from, to } = wanted;
  const tallies: Tally[] = [];
  for (const life of chosen) {
    const { writes } = await undisturbed(life);
    const cuts = counted(Math.max(0, Math.min(to, writes) - from + 1), from).flatMap((write): Cut[] => [
      { write, when: 'before' },
      { write, when: 'after' },
    ]);
    if (cuts.length > 0) tallies.push(new Tally(life.kind, cuts));
  }
  return tallies;
}

/** @returns the exit code: 0 when every life came to its end as it should, 2 when there is none to play */
export async function livesUnderFaults(args: readonly string[]): Promise<number> {
  const tallies = await talliesOf(args);
  if (tallies && tallies.length > 0) return play(tallies);
  const seeds = '[--runs N] [--seed N] [--kinds A,B]';
  say(`usage: ./cox test lives ${seeds}\n       ./cox test lives writes [--from N] [--to N] [--kinds A,B]`);
  say(`kinds: ${lives.map(({ kind }) => kind).join(', ')}`);
  return 2;
}
