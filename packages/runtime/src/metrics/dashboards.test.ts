// What dashboards/ names must be what the rooms export: a panel or an alert on a metric that is not there is silent.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { clientMetrics } from '../client/index.ts';
import { seededRandom, VirtualClock } from '../core/index.ts';
import { createManager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Part, Widget } from '../manager/test-kinds.ts';
import { certificateMetrics } from '../webhook/certificates/metrics.ts';
import { webhookMetrics } from '../webhook/metrics.ts';
import { type MetricSpec, type MetricsRegistry, noMetrics } from './registry.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Variable {
  readonly name: string;
  readonly query: string | { readonly query: string };
}

const read = (name: string) => readFileSync(new URL(`../../../../dashboards/${name}`, import.meta.url), 'utf8');
const dashboard = JSON.parse(read('operator.json')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly Variable[] };
};
const rule = parse(read('alerts.yaml')) as {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: { readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[] };
};
const alerts = rule.spec.groups.flatMap(({ rules }) => rules);

/** Labels that a scrape adds. */
const added = ['job', 'namespace', 'pod', 'instance'];

/** Each series that the runtime exports, with its labels. */
function exported(): Map<string, readonly string[]> {
  const series = new Map<string, readonly string[]>();
  const note = ({ name, labels = [] }: MetricSpec) => void series.set(name, [...labels, ...added]);
  const registry: MetricsRegistry = {
    counter(spec) {
      note(spec);
      return noMetrics.counter(spec);
    },
    gauge(spec) {
      note(spec);
      return noMetrics.gauge(spec);
    },
    histogram(spec) {
      const { name, labels = [] } = spec;
      note({ ...spec, name: `${name}_sum` });
      note({ ...spec, name: `${name}_count` });
      note({ ...spec, name: `${name}_bucket`, labels: [...labels, 'le'] });
      return noMetrics.histogram(spec);
    },
  };
  const clock = new VirtualClock();
  const manager = createManager({
    client: new TestApi(clock).client(),
    name: 'op',
    clock,
    random: seededRandom(1),
    metrics: registry,
    election: { namespace: 'system', lease: 'op' },
  });
  const actor = { observe: async () => undefined, finalize: async () => true };
  manager.actor(Widget, actor, { finalizer: 'test.dev/w' }).run();
  const sharding = { namespace: 'system', lease: 'op' };
  manager
    .controller(Part)
    .options({ sharding })
    .run({ reconcile: async () => {} });
  clientMetrics(registry, { host: 'h' });
  webhookMetrics(registry);
  certificateMetrics(registry);
  return series;
}

const words = ['by', 'without', 'on', 'ignoring', 'and', 'or', 'unless', 'bool', 'group_left', 'group_right'];
const namesIn = (text: string) =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

/** What a PromQL expression names that is not in `series`: nothing, when all is well. */
function unknownIn(expr: string, series: ReadonlyMap<string, readonly string[]>): string[] {
  const wrong: string[] = [];
  const grouped: string[] = [];
  const used: string[] = [];
  const rest = expr
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g, (_all, names: string) => {
      grouped.push(...namesIn(names));
      return ' ';
    })
    .replaceAll(/\[[^\]]*\]/g, ' ');
  for (const [, name = '', matchers = ''] of rest.matchAll(/\b([a-z_]\w*)\b(?!\s*\()(?:\{([^}]*)\})?/g)) {
    if (words.includes(name)) continue;
    const labels = series.get(name);
    if (!labels) wrong.push(name);
    used.push(...(labels ?? []));
    for (const [, label = ''] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)) {
      if (!labels?.includes(label)) wrong.push(`${name}{${label}}`);
    }
  }
  wrong.push(...grouped.filter((label) => !used.includes(label)).map((label) => `by (${label})`));
  return used.length === 0 ? [...wrong, `no metric in ${expr}`] : wrong;
}

it('finds what is not exported', () => {
  const series = new Map([['a_total', ['x']]]);
  expect(unknownIn('sum by (x) (rate(a_total{x="1"}[5m])) > 0', series)).toEqual([]);
  expect(unknownIn('sum by (y) (rate(a_total{z="1"}[5m])) / b_total', series)).toEqual([
    'a_total{z}',
    'b_total',
    'by (y)',
  ]);
});

it('is a dashboard whose panels show what is exported', () => {
  const series = exported();
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const { title, type, targets = [], gridPos } of panels) {
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
    expect(targets.length > 0, title).toBe(type !== 'row');
    for (const { expr, legendFormat } of targets) {
      expect(unknownIn(expr, series), `${title}: ${expr}`).toEqual([]);
      const groups = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = '']) => namesIn(names));
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect(groups, title).toContain(label);
    }
  }
});

it('shows every metric that the runtime exports', () => {
  const text = JSON.stringify(dashboard.panels);
  const families = [...exported().keys()].filter((name) => !/_(sum|count)$/.test(name));
  const hidden = families.filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
  // How long the work on a key takes is the reconcile's duration; watches opened say nothing that restarts do not.
  expect(hidden).toEqual(['coxswain_informer_watches_total', 'workqueue_work_duration_seconds_bucket']);
});

it('has variables that ask for what is exported', () => {
  const series = exported();
  for (const { query } of dashboard.templating.list) {
    if (typeof query === 'string') continue;
    const [, expr = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(query.query) ?? [];
    expect(unknownIn(expr, series)).toEqual([]);
    expect(added).toContain(label);
  }
});

it('is a PrometheusRule', () => {
  expect(rule).toMatchObject({ apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule' });
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
});

it.each(alerts)('$alert: fires on what is exported, and says what to do', ({ expr, labels, annotations }) => {
  expect(unknownIn(expr, exported())).toEqual([]);
  expect(['critical', 'warning']).toContain(labels?.['severity']);
  const { summary = '', description = '', runbook = '' } = annotations ?? {};
  for (const text of [summary, description, runbook]) expect(text.length).toBeGreaterThan(20);
  const groups = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = '']) => namesIn(names));
  for (const [, label = ''] of `${summary} ${description}`.matchAll(/\$labels\.(\w+)/g))
    expect(groups).toContain(label);
});
