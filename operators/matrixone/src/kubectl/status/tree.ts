import { age, plain } from '../text.ts';
import type { ConditionNote, Health, StatusNode, StatusReport } from './node.ts';
import { elapsed } from './pod.ts';

export interface TreeOptions {
  readonly now: number;
  /** All facts behind each line. */
  readonly wide?: boolean;
  /** Marks in colours. */
  readonly colour?: boolean;
}

const marks: Readonly<Record<Health, readonly [mark: string, colour: number]>> = {
  ok: ['●', 32],
  waiting: ['○', 33],
  failed: ['✗', 31],
  info: ['·', 90],
};

interface Row {
  readonly mark: string;
  readonly left: string;
  readonly right: string;
}

/** A report as lines: what it waits for, then the tree. All texts of others are made fit for a terminal. */
export function treeLines(report: StatusReport, options: TreeOptions): readonly string[] {
  const { kind, name, namespace, waitsFor } = report;
  const isReady = report.health === 'ok' ? 'is ready, and ' : '';
  const title = `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
  const rows = rowsOf(report, '', '', '', options);
  const width = Math.max(0, ...rows.map(({ left }) => left.length));
  return [
    plain(`${title}: ${waitsFor === undefined ? 'all is as it should be' : `${isReady}waits for ${waitsFor}`}`),
    ...rows.map(({ mark, left, right }) => `${mark} ${left.padEnd(width)}  ${right}`.trimEnd()),
  ];
}

function rowsOf(node: StatusNode, lead: string, branch: string, below: string, options: TreeOptions): Row[] {
  const [mark, colour] = marks[node.health];
  const row = {
    mark: options.colour ? `\u001b[${colour}m${mark}\u001b[0m` : mark,
    left: plain(`${lead}${branch}${node.kind}/${node.name}`),
    right: plain([node.summary, ...extras(node, options)].join('  ')),
  };
  const under = node.children.length > 0 ? `${lead}${below}│` : `${lead}${below}`;
  const said = node.conditions.map((note) => ({
    mark: ' ',
    left: under,
    right: plain(conditionText(options.wide ? note : { ...note, message: shortened(note.message) }, options.now)),
  }));
  const children = node.children.flatMap((child, i) => {
    const isLast = i === node.children.length - 1;
    return rowsOf(child, lead + below, isLast ? '└─ ' : '├─ ', isLast ? '   ' : '│  ', options);
  });
  return [row, ...said, ...children];
}

/** Longest message of a condition in a tree that is not wide; the first line of it all has the cause as a whole. */
const longestMessage = 240;

function shortened(message: string): string {
  return message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message;
}

/** `! Ready is False for 5m (NoEnoughReadyStores): fewer than 3 log stores are up` */
function conditionText({ type, status, reason, message, since, outdated }: ConditionNote, now: number): string {
  const ms = elapsed(since, now);
  const lasting = ms === undefined ? '' : ` for ${age(ms)}`;
  return `! ${type} is ${status}${lasting}${outdated ? ', of an earlier spec' : ''} (${reason}): ${message}`;
}

/** What stands behind the summary of a pod always, and of everything when it shall be wide. */
function extras({ kind, facts }: StatusNode, { wide }: TreeOptions): readonly string[] {
  const { version, becomes, restarts } = facts;
  const always =
    kind === 'Pod'
      ? [
          ...(version === undefined ? [] : [becomes === undefined ? `${version}` : `${version} → ${becomes}`]),
          ...(restarts === undefined ? [] : [`${restarts} restart${restarts === 1 ? '' : 's'}`]),
        ]
      : [];
  const more = wide ? wideFacts.flatMap((name) => (facts[name] === undefined ? [] : [`${name}=${facts[name]}`])) : [];
  return [...always, ...more];
}

/** Facts that no summary has. */
const wideFacts = ['uuid', 'node', 'ip', 'image', 'operatorVersion', 'credentialSecret', 'endpoint', 'id'] as const;
