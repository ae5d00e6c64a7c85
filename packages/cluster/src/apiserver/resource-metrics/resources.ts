import type { DynamicObject, KubeObject } from '@coxswain/k8s';
import { type Clock, formatTime } from '@coxswain/runtime/core';
import type { SchemaNode } from '@coxswain/schema';
import type { ContainerUsage } from '../nodes.ts';
import type { Column, ResourceInfo } from '../types.ts';
import { nodeUsages, podUsages, sumOf, type UsageOptions } from './usage.ts';

export interface ResourceMetricsOptions extends UsageOptions {
  readonly clock: Clock;
}

/** Over which time usage is said to be measured. */
const window = '20s';

function amounts({ cpuNanoCores, memoryBytes }: ContainerUsage): Readonly<Record<string, string>> {
  return { cpu: `${Math.round(cpuNanoCores)}n`, memory: `${Math.ceil(memoryBytes / 1024)}Ki` };
}

interface UsageObject {
  readonly usage?: Readonly<Record<string, string>>;
  readonly containers?: readonly { readonly usage: Readonly<Record<string, string>> }[];
}

function total(object: DynamicObject): Readonly<Record<string, string>> {
  const { usage, containers = [] } = object as unknown as UsageObject;
  if (usage) return usage;
  const parsed = containers.map(({ usage: { cpu = '0n', memory = '0Ki' } }) => ({
    cpuNanoCores: Number.parseInt(cpu, 10),
    memoryBytes: Number.parseInt(memory, 10) * 1024,
  }));
  return amounts(sumOf(parsed));
}

const columns: readonly Column[] = [
  { name: 'Name', type: 'string', format: 'name', value: ({ metadata }) => metadata.name },
  { name: 'cpu', type: 'string', value: (object) => total(object)['cpu'] },
  { name: 'memory', type: 'string', value: (object) => total(object)['memory'] },
  { name: 'Window', type: 'string', value: () => window },
];

const text: SchemaNode = { type: 'string' };
const usage: SchemaNode = { type: 'object', additionalProperties: text };
const common = { apiVersion: text, kind: text, metadata: { type: 'object' }, timestamp: text, window: text } as const;

function resource(
  plural: 'nodes' | 'pods',
  kind: string,
  properties: Readonly<Record<string, SchemaNode>>,
  objects: () => readonly DynamicObject[],
): ResourceInfo {
  return {
    group: 'metrics.k8s.io',
    version: 'v1beta1',
    kind,
    plural,
    singular: '',
    namespaced: plural === 'pods',
    shortNames: [],
    categories: [],
    verbs: ['get', 'list'],
    schema: { type: 'object', properties: { ...common, ...properties } },
    strategy: {},
    columns,
    status: false,
    selectable: {},
    builtIn: false,
    storage: `metrics.k8s.io/${plural}`,
    objects,
  };
}

function describe(kind: string, { metadata }: KubeObject, now: number, rest: object): DynamicObject {
  const { name, namespace, labels } = metadata;
  const at = formatTime(now);
  return Object.freeze({
    kind,
    apiVersion: 'metrics.k8s.io/v1beta1',
    metadata: { name, ...(namespace ? { namespace } : {}), creationTimestamp: at, ...(labels ? { labels } : {}) },
    timestamp: at,
    window,
    ...rest,
  }) as unknown as DynamicObject;
}

/** NodeMetrics and PodMetrics, worked out whenever they are asked for. */
export function resourceMetrics(options: ResourceMetricsOptions): readonly ResourceInfo[] {
  const { clock } = options;
  const containers: SchemaNode = {
    type: 'array',
    items: { type: 'object', properties: { name: text, usage } },
  };
  return [
    resource('nodes', 'NodeMetrics', { usage }, () =>
      nodeUsages(options).map(([node, used]) => describe('NodeMetrics', node, clock.now(), { usage: amounts(used) })),
    ),
    resource('pods', 'PodMetrics', { containers }, () =>
      podUsages(options).map(({ pod, containers: used }) =>
        describe('PodMetrics', pod, clock.now(), {
          containers: [...used].map(([name, one]) => ({ name, usage: amounts(one) })),
        }),
      ),
    ),
  ];
}
