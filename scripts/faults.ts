/**
 * `./cox test faults [--real] [--cycles N] [--objects N]`: an operator behind a bad network and over a server that is killed; then two
 * operators with one lease, of which the leader ends under load. Prints what it took as tables.
 */
import { parseArgs } from 'node:util';
import {
  type FailoverResult,
  type FaultResult,
  failover,
  failoverWays,
  faultNames,
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
    } as const;
    const { values } = parseArgs({ args: [...args], options });
    const whole = (text: string | undefined, otherwise: number) => Number(text ?? otherwise);
    const [cycles, objects] = [whole(values.cycles, 100), whole(values.objects, 10_000)];
    const lasts = whole(values.lasts, 60_000);
    const server = values.real ? ('real' as const) : ('embedded' as const);
    const sane = [cycles, objects, lasts].every((each) => Number.isSafeInteger(each) && each > 0);
    return sane ? { server, cycles, objects, lasts } : undefined;
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
  ...heap.map(megabytes),
];
const failoverRow = ({ way, objects, gap, overlap, missed, writes }: FailoverResult) => [
  way,
  objects,
  Math.round(gap),
  overlap,
  missed,
  ...writes,
];

/** Bytes that a heap may grow over all cycles of one fault: what is compiled and cached meanwhile. */
const slack = 4 * 1_048_576;
/** Objects of the world whose operator is disturbed. */
const disturbed = 200;

/** @returns the exit code: 0 when nothing was missed, no writes overlapped, and memory stayed flat */
export async function faults(args: readonly string[]): Promise<number> {
  const options = optionsOf(args);
  if (options === undefined) {
    process.stdout.write('usage: ./cox test faults [--real] [--cycles N] [--objects N] [--lasts MS]\n');
    return 2;
  }
  const { server, cycles, objects, lasts } = options;
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const base = { server, objects: disturbed, patience: 300_000, say };
  // what lasts is done once in full, what does not in each cycle
  const slow = faultNames.filter((name) => name === 'half-open' || name === '429, Retry-After');
  const results = [
    ...(await runFaults(slow, { ...base, cycles: 1, lasts })),
    ...(await runFaults(faultNames, { ...base, cycles, lasts: 200, callTimeout: 2_000, watchIdle: 2_000 })),
  ];
  say(
    markdownTable(
      [...'fault,cycles,changed,missed,median ms,longest ms,lists,repeats,heap MB first,last'.split(',')],
      results.map(faultRow),
    ),
  );
  const turns: FailoverResult[] = [];
  for (const way of failoverWays) {
    say(`failover, ${way}`);
    turns.push(await failover(way, { server, objects, patience: 600_000 }));
  }
  say(markdownTable('leader ends,objects,gap ms,overlap,missed,writes old,new'.split(','), turns.map(failoverRow)));
  const bad = [
    ...results.filter(({ missed, heap: [first, last] }) => missed > 0 || last - first > slack),
    ...turns.filter(({ overlap, missed }) => overlap > 0 || missed > 0),
  ];
  say(`${results.length + turns.length - bad.length} passed, ${bad.length} failed`);
  return bad.length === 0 ? 0 : 1;
}
