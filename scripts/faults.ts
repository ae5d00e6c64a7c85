/**
 * `./cox test faults [--real] [--cycles N] [--objects N] [--lasts MS] [--only faults|failover|FAULT]`: an operator behind a bad network and over a server that is killed; then two
 * operators with one lease, of which the leader ends under load. Prints what it took as tables.
 */
import { parseArgs } from 'node:util';
import {
  type FailoverResult,
  type FaultResult,
  type FaultRunOptions,
  failover,
  failoverWays,
  faultNames,
  heapGrowth,
  markdownTable,
  runFaults,
} from '@coxswain/testing/faults';

const number = { type: 'string' } as const;

function optionsOf(args: readonly string[]) {
  try {
    const options = {
      real: { type: 'boolean', default: false },
      cycles: number,
      objects: number,
      lasts: number,
      only: { type: 'string' },
    } as const;
    const { values } = parseArgs({ args: [...args], options });
    const whole = (text: string | undefined, otherwise: number) => Number(text ?? otherwise);
    const [cycles, objects] = [whole(values.cycles, 100), whole(values.objects, 10_000)];
    const lasts = whole(values.lasts, 60_000);
    const server = values.real ? ('real' as const) : ('embedded' as const);
    const sane = [cycles, objects, lasts].every((each) => Number.isSafeInteger(each) && each > 0);
    const { only } = values;
    const known =
      only === undefined || only === 'faults' || only === 'failover' || faultNames.some((name) => name === only);
    return sane && known ? { server, cycles, objects, lasts, only } : undefined;
  } catch {
    return undefined;
  }
}

const megabytes = (bytes: number) => Number((bytes / 1_048_576).toFixed(1));
const faultRow = ({ fault, cycles, changed, missed, median, longest, lists, repeats, heap }: FaultResult) => [
  fault,
  cycles,
  changed,
  missed,
  Math.round(median),
  Math.round(longest),
  lists,
  repeats,
  heap.map(({ bytes }) => megabytes(bytes)).join(' → '),
  Number((heapGrowth(heap) / 1024).toFixed(1)),
];
const failoverRow = ({ way, objects, gap, released, taken, overlap, missed, writes }: FailoverResult) => [
  way,
  objects,
  Math.round(gap),
  Number.isNaN(released) ? 'expired' : Math.round(released),
  Math.round(taken),
  overlap,
  missed,
  ...writes,
];

/** Bytes that a heap may grow by in a cycle, when there are enough to tell: below lies what is compiled and cached meanwhile. */
const growthAllowed = 5 * 1_024;
const cyclesToTell = 50;
/** Objects of the world whose operator is disturbed. */
const disturbed = 200;

/** Shorter than what real silences are found out by: a run that is to be short has short patience too. */
const realSilence = 60_000;
const short = { callTimeout: 2_000, watchIdle: 2_000 };

const say = (line: string) => void process.stdout.write(`${line}\n`);

type Options = NonNullable<ReturnType<typeof optionsOf>>;

/** @returns how many failed, of how many */
async function allFaults({ server, cycles, lasts, only }: Options): Promise<readonly [number, number]> {
  const base = { server, objects: disturbed, patience: 300_000, say };
  // what lasts is done once in full, what does not in each cycle
  const names = faultNames.filter((name) => only === undefined || only === 'faults' || only === name);
  const slow = names.filter((name) => name === 'half-open' || name === '429, Retry-After');
  const long = lasts >= realSilence;
  if (long) say(`silences as an operator has them by default: a watch that is lost takes up to 180 s each`);
  const results: FaultResult[] = [];
  const run = async (some: typeof names, more: Pick<FaultRunOptions, 'cycles' | 'lasts'>) => {
    if (some.length === 0) return;
    for await (const result of runFaults(some, { ...base, ...more })) {
      // at once as well: a run takes hours, and may be ended before its table
      say(faultRow(result).join(' | '));
      results.push(result);
    }
  };
  await run(slow, { cycles: 1, lasts, ...(long ? {} : short) });
  await run(names, { cycles, lasts: 200, ...short });
  const heading = 'fault,cycles,changed,missed,median ms,longest ms,lists,repeats,heap MB,growth KB/cycle';
  say(markdownTable(heading.split(','), results.map(faultRow)));
  const bad = results.filter(
    ({ missed, lists, listsWanted, heap, cycles }) =>
      missed > 0 || lists < listsWanted || (cycles >= cyclesToTell && heapGrowth(heap) > growthAllowed),
  );
  return [bad.length, results.length];
}

/** @returns how many failed, of how many */
async function allFailovers({ server, objects }: Options): Promise<readonly [number, number]> {
  const turns: FailoverResult[] = [];
  for (const way of failoverWays) {
    say(`failover, ${way}`);
    turns.push(await failover(way, { server, objects, patience: 600_000 }));
  }
  const heading = 'leader ends,objects,gap ms,lease free ms,taken ms,overlap,missed,writes old,new';
  say(markdownTable(heading.split(','), turns.map(failoverRow)));
  return [turns.filter(({ overlap, missed }) => overlap > 0 || missed > 0).length, turns.length];
}

/** @returns the exit code: 0 when nothing was missed, no writes overlapped, and memory stayed flat */
export async function faults(args: readonly string[]): Promise<number> {
  const options = optionsOf(args);
  if (options === undefined) {
    say('usage: ./cox test faults [--real] [--cycles N] [--objects N] [--lasts MS] [--only faults|failover|FAULT]');
    return 2;
  }
  let [failed, all] = [0, 0];
  for (const part of [allFaults, allFailovers]) {
    if (options.only !== undefined && part !== (options.only === 'failover' ? allFailovers : allFaults)) continue;
    const [bad, of] = await part(options);
    failed += bad;
    all += of;
  }
  say(`${all - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}
