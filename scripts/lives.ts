/**
 * `./cox test lives [--runs N] [--seed N] [--kinds A,B]`: the life of each kind of MatrixOne in virtual time, under the faults of N
 * seeds each; default 2,000 from seed 1. Each comes to the same end, and no invariant breaks. Shared out over the machine's cores.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { lives } from '../operators/matrixone/src/scenario/test-fault-lives.ts';
import { optionsOf } from './options.ts';

/** A life that is to be played. */
export interface Turn {
  readonly kind: string;
  readonly seed: number;
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
/** Characters that are told of a failure when there are many lives. */
const enough = 1_000;

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** A thread, which ends with this process in any case. One that fails or does not answer is followed by another one. */
class Player {
  #worker: Worker | undefined;

  async play(turn: Turn): Promise<Played> {
    this.#worker ??= new Worker(new URL('./lives-worker.ts', import.meta.url));
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
  readonly #runs: number;
  #played = 0;
  #cpu = 0;
  #failed = 0;

  constructor(kind: string, runs: number) {
    this.kind = kind;
    this.#runs = runs;
  }

  get played(): number {
    return this.#played;
  }

  get failed(): number {
    return this.#failed;
  }

  add(seed: number, { problems, cpu }: Played): void {
    this.#played++;
    this.#cpu += cpu;
    if (problems.length > 0) this.#tell(seed, problems.join('\n'));
    if (this.#played === this.#runs) say(this.#row());
  }

  #tell(seed: number, text: string): void {
    this.#failed++;
    say(`FAIL ${this.kind}, seed ${seed}: ${this.#runs > 1 ? text.slice(0, enough) : text}`);
    say(`  again: ./cox test lives --runs 1 --seed ${seed} --kinds '${this.kind}'`);
  }

  #row(): string {
    const each = (this.#cpu / this.#runs).toFixed(2);
    return `${this.kind}: ${this.#played - this.#failed} passed, ${this.#failed} failed, ${each} s of CPU each`;
  }
}

/** @returns the exit code: 0 when every life came to its end as it should */
export async function livesUnderFaults(args: readonly string[]): Promise<number> {
  const wanted = optionsOf(args, { runs: 2_000, seed: 1 }, ['kinds']);
  const known = lives.map(({ kind }) => kind);
  const kinds = wanted?.kinds?.split(',') ?? known;
  if (!wanted || !kinds.every((kind) => known.includes(kind))) {
    say(`usage: ./cox test lives [--runs N] [--seed N] [--kinds A,B]\nkinds: ${known.join(', ')}`);
    return 2;
  }
  const { runs, seed } = wanted;
  const tallies = kinds.map((kind) => new Tally(kind, runs));
  const count = (of: 'played' | 'failed') => tallies.reduce((sum, tally) => sum + tally[of], 0);
  const total = runs * tallies.length;
  // Seed by seed: one that is cut short has played all kinds.
  const turns = Array.from({ length: runs }, (_, i) => tallies.map((tally) => ({ tally, seed: seed + i })));
  const queue = turns.flat().values();
  const players = Array.from({ length: Math.min(availableParallelism(), total) }, () => new Player());
  say(`${tallies.length} kinds, ${runs} seeds of each from ${seed}, ${players.length} at a time`);
  const timer = setInterval(() => say(`${count('played')} of ${total} played, ${count('failed')} failed`), pulse);
  const playAll = async (player: Player) => {
    // One queue for all: who is done takes the next.
    for (const turn of queue) turn.tally.add(turn.seed, await player.play({ kind: turn.tally.kind, seed: turn.seed }));
    await player.stop();
  };
  await Promise.all(players.map(playAll));
  clearInterval(timer);
  say(`${total - count('failed')} passed, ${count('failed')} failed`);
  return count('failed') === 0 ? 0 : 1;
}
