import { get, group, mergePatch, object, post } from '../build.ts';
import type { Scenario } from '../types.ts';

const [older, newer] = ['autoscaling/v1', 'autoscaling/v2'].map((version) =>
  group(version, 'horizontalpodautoscalers'),
);
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
const metric = { name: 'hits', selector: { matchLabels: { a: 'b' } } };
const describedObject = { apiVersion: 'v1', kind: 'Service', name: 's' };
const utilization = { type: 'Utilization', averageUtilization: 60 };
const metrics = [
  { type: 'Resource', resource: { name: 'cpu', target: utilization } },
  { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1024Mi' } } },
  { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'c', target: utilization } },
  { type: 'Pods', pods: { metric, target: { type: 'AverageValue', averageValue: '100m' } } },
  { type: 'Object', object: { describedObject, metric, target: { type: 'Value', value: '2k' } } },
  {
    type: 'Object',
    object: { describedObject, metric: { name: 'x' }, target: { type: 'AverageValue', averageValue: '3' } },
  },
  { type: 'External', external: { metric, target: { type: 'Value', value: '5' } } },
  { type: 'External', external: { metric: { name: 'x' }, target: { type: 'AverageValue', averageValue: '6' } } },
];
const currentMetrics = [
  { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 30, averageValue: '0.1' } } },
  { type: 'Resource', resource: { name: 'memory', current: { averageValue: '1Gi' } } },
  {
    type: 'ContainerResource',
    containerResource: { name: 'cpu', container: 'c', current: { averageUtilization: 3, averageValue: '1' } },
  },
  { type: 'Pods', pods: { metric, current: { averageValue: '7' } } },
  { type: 'Object', object: { describedObject, metric, current: { value: '8', averageValue: '9' } } },
  { type: 'External', external: { metric, current: { value: '10', averageValue: '11' } } },
];
const conditions = [
  { type: 'AbleToScale', status: 'True', reason: 'R', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' },
  { type: 'ScalingActive', status: 'False' },
];
const behavior = {
  scaleUp: { stabilizationWindowSeconds: 10, policies: [{ type: 'Pods', value: 2, periodSeconds: 30 }] },
  scaleDown: { selectPolicy: 'Min', tolerance: '0.1' },
};
const rich = { spec: { maxReplicas: 5, scaleTargetRef, metrics, behavior } };
const table = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };

/** What one version of an autoscaler has no fields for travels in annotations. */
export const autoscalerVersions: Scenario = {
  title: 'autoscalers in both versions',
  steps: [
    post(`${newer}`, object('autoscaling/v2', 'HorizontalPodAutoscaler', 'a', rich)),
    mergePatch(`${newer}/a/status`, { status: { currentReplicas: 2, desiredReplicas: 3, currentMetrics, conditions } }),
    get(`${older}/a`),
    mergePatch(`${older}/a/status`, { status: { currentCPUUtilizationPercentage: 40 } }),
    get(`${newer}/a`),
    get(`${newer}/a`, table),
    post(
      `${older}`,
      object('autoscaling/v1', 'HorizontalPodAutoscaler', 'b', { spec: { maxReplicas: 5, scaleTargetRef } }),
    ),
    mergePatch(`${older}/b/status`, { status: { currentReplicas: 1, currentCPUUtilizationPercentage: 20 } }),
    get(`${newer}/b`),
    mergePatch(`${newer}/b`, { spec: { behavior: { scaleUp: { policies: [] } } } }),
    mergePatch(`${newer}/b`, { spec: { metrics: [] } }),
  ],
};
