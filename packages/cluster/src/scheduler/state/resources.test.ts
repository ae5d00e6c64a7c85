import type { Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { podRequests } from './resources.ts';

const container = (name: string, cpu: string, more: object = {}) => ({
  name,
  image: 'a',
  resources: { requests: { cpu } },
  ...more,
});

function cpuOf(spec: object): number {
  return podRequests({ metadata: { name: 'p' }, spec } as unknown as Pod).cpu;
}

test('a pod needs its containers and sidecars, or its hungriest start', () => {
  const sidecar = container('s', '200m', { restartPolicy: 'Always' });
  expect(cpuOf({ containers: [container('a', '100m'), container('b', '100m')], initContainers: [sidecar] })).toBe(400);
  // what starts after a sidecar runs beside it, what starts before does not
  const containers = [container('a', '100m')];
  expect(cpuOf({ containers, initContainers: [sidecar, container('i', '500m')] })).toBe(700);
  expect(cpuOf({ containers, initContainers: [container('i', '500m'), sidecar] })).toBe(500);
  expect(cpuOf({ containers, overhead: { cpu: '50m' } })).toBe(150);
  expect(cpuOf({ containers, resources: { requests: { cpu: '1' } } })).toBe(1000);
});

test('containers that say nothing count for a little where nodes are compared', () => {
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'a', image: 'a' }] } } as unknown as Pod;
  expect(podRequests(pod)).toEqual({ cpu: 0, memory: 0, storage: 0 });
  expect(podRequests(pod, true)).toEqual({ cpu: 100, memory: 200 * 1024 * 1024, storage: 0 });
});

test('while a container is resized it holds the larger of both sizes', () => {
  const spec = { nodeName: 'n', containers: [container('a', '100m')] };
  const status = { containerStatuses: [{ name: 'a', resources: { requests: { cpu: '300m' } } }] };
  expect(podRequests({ metadata: { name: 'p' }, spec, status } as unknown as Pod).cpu).toBe(300);
});
