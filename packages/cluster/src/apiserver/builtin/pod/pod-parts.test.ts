import { expect, test } from 'vitest';
import { defaultPullPolicy } from './image.ts';
import { qosClass } from './qos.ts';

test('images without a fixed tag are pulled always', () => {
  const always = ['nginx', 'nginx:latest', 'repo.io:5000/x', 'repo.io:5000/x/y:latest'];
  for (const image of always) expect(defaultPullPolicy(image), image).toBe('Always');
  const once = ['nginx:1', 'repo.io:5000/x:1', 'x@sha256:abc', 'x:latest@sha256:abc', '', ' x', 'Upper'];
  for (const image of once) expect(defaultPullPolicy(image), image).toBe('IfNotPresent');
});

const containers = (...resources: readonly object[]) => ({
  containers: resources.map((part) => ({ resources: part })),
});
const whole = { cpu: '1', memory: '1Gi' };

test('quality of service follows requests and limits of all containers', () => {
  expect(qosClass(containers({}))).toBe('BestEffort');
  expect(qosClass(containers({ requests: { cpu: '0' } }))).toBe('BestEffort');
  expect(qosClass(containers({ requests: whole, limits: whole }))).toBe('Guaranteed');
  expect(qosClass(containers({ requests: whole, limits: whole }, {}))).toBe('Burstable');
  expect(qosClass(containers({ requests: { cpu: '1' }, limits: whole }))).toBe('Guaranteed');
  expect(qosClass(containers({ requests: { cpu: '500m' }, limits: whole }))).toBe('Burstable');
  expect(qosClass(containers({ limits: { cpu: '1' } }))).toBe('Burstable');
  expect(qosClass({ resources: { requests: whole, limits: whole }, ...containers({}) })).toBe('Guaranteed');
});
