import type { KubeObject } from '@coxswain/k8s';
import { describe, expect, it } from 'vitest';
import { isWaitedFor, readinessOf } from './readiness.ts';

function object(apiVersion: string, kind: string, status?: object): KubeObject {
  return { apiVersion, kind, metadata: { name: 'x' }, ...(status ? { status } : {}) } as KubeObject;
}

describe('readinessOf', () => {
  it.each([
    ['autoscaling/v2', 'HorizontalPodAutoscaler'],
    ['networking.k8s.io/v1', 'Ingress'],
  ])('%s %s: nobody works on it, so it is not ready and not waited for', (apiVersion, kind) => {
    const readiness = readinessOf(object(apiVersion, kind));
    expect(readiness).toMatchObject({ ready: false, phase: 'not simulated' });
    expect(isWaitedFor(readiness)).toBe(false);
  });

  it('a claim is ready when it is bound', () => {
    expect(readinessOf(object('v1', 'PersistentVolumeClaim', { phase: 'Bound' })).ready).toBe(true);
    for (const status of [undefined, {}, { phase: 'Pending' }, { phase: 'Lost' }])
      expect(isWaitedFor(readinessOf(object('v1', 'PersistentVolumeClaim', status)))).toBe(true);
  });

  it('a DaemonSet is ready when each of its nodes has an available pod of its template', () => {
    const set = (status: object, type = 'RollingUpdate') =>
      readinessOf({
        ...object('apps/v1', 'DaemonSet', status),
        metadata: { name: 'x', generation: 2 },
        spec: { updateStrategy: { type } },
      } as KubeObject);
    const numbers = { desiredNumberScheduled: 3, numberAvailable: 3, updatedNumberScheduled: 3 };
    expect(set({ ...numbers, observedGeneration: 1 })).toMatchObject({ ready: false, phase: 'Progressing' });
    expect(set({ ...numbers, observedGeneration: 2 })).toEqual({ ready: true, phase: 'Ready', reason: '3/3 ready' });
    const old = { ...numbers, observedGeneration: 2, updatedNumberScheduled: 1 };
    expect(set(old)).toMatchObject({ ready: false, reason: '1/3 ready' });
    expect(set(old, 'OnDelete').ready).toBe(true);
    expect(set({ ...numbers, observedGeneration: 2, numberAvailable: 2 }).ready).toBe(false);
  });

  it('a CronJob is ready when it is there', () => {
    expect(readinessOf(object('batch/v1', 'CronJob', {})).ready).toBe(true);
  });

  it('what has no status is ready when it is there', () => {
    expect(readinessOf(object('v1', 'ConfigMap'))).toEqual({ ready: true, phase: 'Ready', reason: '' });
    expect(readinessOf(object('v1', 'Namespace', { phase: 'Active' })).ready).toBe(true);
  });

  it('a pod without a node says why', () => {
    const scheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are fit' };
    const readiness = readinessOf(object('v1', 'Pod', { phase: 'Pending', conditions: [scheduled] }));
    expect(readiness).toMatchObject({ phase: 'Pending', reason: 'Unschedulable', message: '0/3 nodes are fit' });
  });

  it('a pod whose container waits says why', () => {
    const waiting = { reason: 'CreateContainerConfigError', message: 'secret "s" not found' };
    const status = {
      phase: 'Pending',
      initContainerStatuses: [{ state: {} }],
      containerStatuses: [{ state: { waiting } }],
    };
    expect(readinessOf(object('v1', 'Pod', status))).toMatchObject(waiting);
  });
});
