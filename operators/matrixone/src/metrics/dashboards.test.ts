// What dashboards/ names of this operator must be what it exports: a panel or an alert on a metric that is not there is silent.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { cnRpcDuration, conditionMetrics, haKeeperRpcDuration } from './index.ts';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const read = (name: string) => readFileSync(new URL(`../../../../dashboards/${name}`, import.meta.url), 'utf8');
const dashboard = JSON.parse(read('matrixone.json')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] };
};
const rules = parse(read('matrixone-alerts.yaml')) as {
  readonly spec: { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
};
const alerts = rules.spec.groups.flatMap((group) => group.rules);

/** Each series with its labels, and those that a scrape adds. What it adds of the same name renames the operator's. */
const series = new Map<string, readonly string[]>();
const added = ['job', 'namespace', 'pod', 'instance'];
const scraped = (labels: readonly string[] = []) => [
  ...labels.map((label) => (added.includes(label) ? `exported_${label}` : label)),
  ...added,
];
for (const name of conditionMetrics.names) series.set(name, scraped(conditionMetrics.labels));
for (const { name, labels } of [cnRpcDuration, haKeeperRpcDuration]) {
  series.set(`${name}_sum`, scraped(labels));
  series.set(`${name}_count`, scraped(labels));
  series.set(`${name}_bucket`, [...scraped(labels), 'le']);
}

/** What an expression names that is not exported. */
function unknownIn(expr: string): string[] {
  const names = [...expr.matchAll(/\b(?:matrixone|mo_operator)_\w+/g)].map(([name]) => name);
  if (names.length === 0) return [`no metric in ${expr}`];
  const labels = names.flatMap((name) => series.get(name) ?? []);
  const used = [
    ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(',').map((label) => label.trim())),
    ...[...expr.matchAll(/[{,]\s*(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label),
  ];
  return [...names.filter((name) => !series.has(name)), ...used.filter((label) => !labels.includes(label))];
}

/** Labels that the outermost aggregation keeps. */
function kept(expr: string): readonly string[] {
  const [, list = ''] = /by \(([^)]*)\)/.exec(expr) ?? [];
  return list.split(',').map((label) => label.trim());
}

it('finds what is not exported', () => {
  expect(unknownIn('max by (name) (matrixone_logset_condition{type="Ready"}) == 0')).toEqual([]);
  expect(unknownIn('sum by (x) (matrixone_tnset_condition{type="Ready"})')).toEqual([
    'matrixone_tnset_condition',
    'x',
    'type',
  ]);
});

it('names a compute node also where the scrape says which pod of the operator was asked', () => {
  const texts = [...dashboard.panels.flatMap(({ targets = [] }) => targets), ...alerts].map(({ expr }) => expr);
  const byNode = texts.filter((expr) => expr.includes('mo_operator_cn_rpc_duration_count'));
  expect(byNode.length).toBeGreaterThan(1);
  for (const expr of byNode) expect(kept(expr)).toEqual(['exported_pod', 'pod']);
});

it('is a dashboard whose panels show what is exported', () => {
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const { title, type, targets = [], gridPos } of panels) {
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
    expect(targets.length > 0, title).toBe(type !== 'row');
    for (const { expr, legendFormat } of targets) {
      expect(unknownIn(expr), `${title}: ${expr}`).toEqual([]);
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect(kept(expr), title).toContain(label);
    }
  }
  for (const { query } of dashboard.templating.list) {
    if (typeof query !== 'string') expect(unknownIn(query.query.replace(/, (\w+)\)$/, ' by ($1))'))).toEqual([]);
  }
});

it('shows every metric that the operator exports', () => {
  const text = JSON.stringify(dashboard.panels);
  const hidden = [...series.keys()].filter((name) => !name.endsWith('_sum') && !text.includes(name));
  expect(hidden).toEqual([]);
});

it.each(alerts)('$alert: fires on what is exported, and says what to do', ({ expr, labels, annotations }) => {
  expect(unknownIn(expr)).toEqual([]);
  expect(['critical', 'warning']).toContain(labels['severity']);
  const { summary = '', description = '', runbook = '' } = annotations;
  for (const text of [summary, description, runbook]) expect(text.length).toBeGreaterThan(20);
  for (const [, label = ''] of `${summary} ${description}`.matchAll(/\$labels\.(\w+)/g))
    expect(kept(expr)).toContain(label);
});
