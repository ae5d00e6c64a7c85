import type { Kind, KubeObject } from '@coxswain/k8s';
import { conditionsOf } from '@coxswain/runtime/apply';
import type { Cache } from '@coxswain/runtime/cache';
import type { PrometheusRegistry } from '@coxswain/runtime/metrics';
import {
  BackupJob,
  BucketClaim,
  CNSet,
  DNSet,
  LogSet,
  MatrixOneCluster,
  ProxySet,
  RestoreJob,
  WebUI,
} from '../api/index.ts';

/** The kinds whose conditions are exported: those that have any. */
const kinds: readonly Kind[] = [
  MatrixOneCluster,
  LogSet,
  DNSet,
  CNSet,
  ProxySet,
  WebUI,
  BucketClaim,
  BackupJob,
  RestoreJob,
];

/** `matrixone_logset_condition` … */
export function conditionMetricName({ kind }: Pick<Kind, 'kind'>): string {
  return `matrixone_${kind.toLowerCase()}_condition`;
}

/** Names of the gauges, and the labels that each has. */
export const conditionMetrics = {
  names: kinds.map(conditionMetricName),
  labels: ['namespace', 'name', 'type'],
} as const;

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function series(name: string, object: KubeObject): readonly string[] {
  const { namespace = '', name: of } = object.metadata;
  return conditionsOf(object).map(({ type, status }) => {
    const labels = `namespace="${escaped(namespace)}",name="${escaped(of)}",type="${escaped(type)}"`;
    return `${name}{${labels}} ${status === 'True' ? 1 : 0}`;
  });
}

function family(kind: Kind, cache: Cache): string {
  if (!cache.has(kind)) return '';
  const name = conditionMetricName(kind);
  const lines = [...cache.store(kind).list()].flatMap((object) => series(name, object));
  if (lines.length === 0) return '';
  const help = `# HELP ${name} Whether a condition of a ${kind.kind} is True`;
  return [help, `# TYPE ${name} gauge`, ...lines, ''].join('\n');
}

/**
 * The registry, and the conditions of all objects as the caches have them when they are asked for: 1 is True, 0 is False or Unknown.
 * Objects that are gone have no series, and a cluster at rest costs nothing between scrapes.
 */
export function withConditions(registry: PrometheusRegistry, cache: Cache): PrometheusRegistry {
  return {
    contentType: registry.contentType,
    counter: (spec) => registry.counter(spec),
    gauge: (spec) => registry.gauge(spec),
    histogram: (spec) => registry.histogram(spec),
    async text() {
      const text = await registry.text();
      const end = text === '' || text.endsWith('\n') ? '' : '\n';
      return `${text}${end}${kinds.map((kind) => family(kind, cache)).join('')}`;
    },
  };
}
