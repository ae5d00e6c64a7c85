import { describe, expect, it } from 'vitest';
import type { Readiness } from './readiness.ts';
import type { TreeNode } from './tree.ts';
import { unmetLines } from './unmet.ts';

function node(label: string, readiness: Partial<Readiness>, children: readonly TreeNode[] = []): TreeNode {
  return { label, readiness: { ready: false, phase: 'NotReady', reason: '', ...readiness }, children };
}
const condition = {
  type: 'Ready',
  status: 'False',
  reason: 'LogServiceNotReady',
  message: 'waits for log',
  lastTransitionTime: '2026-01-01T00:00:00Z',
} as const;
const pod = (i: number) =>
  node(`Pod/log-${i}`, { phase: 'Pending', reason: 'Unschedulable', message: '0/3 nodes are available' });

describe('unmetLines', () => {
  it('names the condition, and the objects at the root of it', () => {
    const set = node('StatefulSet/log', { phase: 'Progressing' }, [node('Pod/log-0', { ready: true }), pod(1)]);
    const root = node('Cluster/mo', { condition }, [node('CNSet/tp', { ready: true }), node('LogSet/log', {}, [set])]);
    expect(unmetLines('cluster/mo', root)).toEqual([
      'cluster/mo: condition Ready is False: LogServiceNotReady: waits for log',
      '  Pod/log-1: Unschedulable: 0/3 nodes are available',
    ]);
  });

  it('names the last that is not ready where nothing below it is to blame', () => {
    const set = node('StatefulSet/log', { phase: 'Progressing', reason: '0/3 ready' });
    expect(unmetLines('logset/log', node('LogSet/log', { phase: 'Pending' }, [set]))).toEqual([
      'logset/log: Pending',
      '  StatefulSet/log: 0/3 ready',
    ]);
  });

  it('names three at most', () => {
    const lines = unmetLines('x/a', node('X/a', { condition }, [1, 2, 3, 4, 5].map(pod)));
    expect(lines).toHaveLength(5);
    expect(lines.at(-1)).toBe('  … and 2 more');
  });

  it('says nothing of what is ready or not simulated, and says what is gone', () => {
    expect(unmetLines('x/a', node('X/a', { ready: true }))).toEqual([]);
    expect(unmetLines('x/a', node('X/a', { unknown: true }))).toEqual([]);
    expect(unmetLines('x/a', undefined)).toEqual(['x/a: it does not exist any more']);
  });
});
