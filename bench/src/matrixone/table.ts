import { median } from '../stats.ts';
import type { Result, Step } from './measure.ts';
import { total } from './requests.ts';

/**
 * What was recorded of the upstream operator on a real kube-apiserver (etcd, OpenKruise, webhooks on), with its clients of HAKeeper, locks
 * and queries replaced by fakes and pods Running at once. Nothing was recorded of changes, nor with 200 clusters.
 */
const upstream: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  1: {
    'create, median': '44.8',
    'create, slowest': '44.8',
    'create, requests': '187',
    'create, CPU': '0.45',
    'resident, no cluster': '105',
    'resident, all Ready': '124',
  },
  20: {
    'create, median': '51.7',
    'create, slowest': '55.3',
    'create, requests': '123',
    'create, CPU': '6.75',
    'resident, no cluster': '105',
    'resident, all Ready': '158',
  },
};

type Cell = string | number;

const round = (value: number) => (value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0));

function markdown(rows: readonly (readonly Cell[])[]): string {
  return rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

const counted = (requests: Readonly<Record<string, number>>) => total(new Map(Object.entries(requests)));

/** The figures of a result by name, in the order in which they are shown. */
function figures({ clusters, steps, idle, empty, peak }: Result): ReadonlyMap<string, number> {
  const of = ({ what, seconds, requests, late, cpu, resident }: Step): readonly (readonly [string, number])[] => [
    [`${what}, median`, median(seconds)],
    [`${what}, slowest`, seconds.at(-1) ?? 0],
    [`${what}, requests`, counted(requests) / clusters],
    [`${what}, requests afterwards`, counted(late) / clusters],
    [`${what}, CPU`, cpu],
    ...(what === 'create' ? ([['resident, all Ready', resident]] as const) : []),
  ];
  return new Map<string, number>([
    ['resident, no cluster', empty],
    ...steps.flatMap(of),
    ['resident, peak of all', peak],
    [`idle, writes in ${idle.seconds} s`, idle.writes],
    [`idle, CPU in ${idle.seconds} s`, idle.cpu],
  ]);
}

/** Which requests there were, a row for each verb and kind: what each cluster costs. */
function requestRows(results: readonly Result[], what: string): readonly (readonly Cell[])[] {
  const of = (result: Result) => result.steps.find((step) => step.what === what);
  const names = new Set(results.flatMap((result) => Object.keys({ ...of(result)?.requests, ...of(result)?.late })));
  const each = (result: Result, name: string): string => {
    const count = (of(result)?.requests[name] ?? 0) + (of(result)?.late[name] ?? 0);
    return count === 0 ? '' : round(count / result.clusters);
  };
  return [...names].sort().map((name) => [name, ...results.map((result) => each(result, name))]);
}

/** The results as markdown. */
export function table(results: readonly Result[]): string {
  const heads = results.flatMap(({ clusters }) => [String(clusters), `upstream, ${clusters}`]);
  const all = results.map((result) => figures(result));
  const names = new Set(all.flatMap((one) => [...one.keys()]));
  const rows = [...names].map((name) => [
    name,
    ...results.flatMap(({ clusters }, i) => [round(all[i]?.get(name) ?? 0), upstream[clusters]?.[name] ?? '']),
  ]);
  const sum = markdown([['clusters', ...heads], ['---', ...heads.map(() => '---:')], ...rows]);
  const plain = results.map(({ clusters }) => String(clusters));
  const parts = (results[0]?.steps ?? []).map(({ what }) => {
    const lines = [[what, ...plain], ['---', ...plain.map(() => '---:')], ...requestRows(results, what)];
    return `\n${markdown(lines)}`;
  });
  return `${sum}\nSeconds, MiB, and requests for each cluster. Which requests, until there were none for 3 s:\n${parts.join('')}`;
}
