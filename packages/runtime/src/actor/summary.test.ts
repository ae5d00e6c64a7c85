import type { Condition } from '@coxswain/k8s';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../core/index.ts';
import { widget } from '../manager/test-kinds.ts';
import { StatusDraft } from './draft.ts';
import { type SummaryOptions, type SummaryPart, summarize, summaryOf } from './index.ts';

const good = { reason: 'AllGood', message: 'fine' };
const part = (status: Condition['status'], reason: string, message = ''): SummaryPart => ({ status, reason, message });

describe('summaryOf', () => {
  it.each([
    ['no parts', [], 'True', 'AllGood', 'fine'],
    ['all True', [part('True', 'A'), part('True', 'B')], 'True', 'AllGood', 'fine'],
    ['one Unknown', [part('True', 'A'), part('Unknown', 'B', 'b')], 'Unknown', 'B', 'b'],
    ['False before Unknown', [part('Unknown', 'A', 'a'), part('False', 'B', 'b')], 'False', 'B', 'b'],
    ['the first of equals', [part('False', 'A', 'a'), part('False', 'B', 'b')], 'False', 'A', 'a; b'],
    ['without messages', [part('False', 'A'), part('False', 'B', 'b')], 'False', 'A', 'b'],
  ] as const)('%s', (_, parts, status, reason, message) => {
    expect(summaryOf(parts, good)).toEqual({ status, reason, message });
  });

  it('counts what it does not tell', () => {
    const many = Array.from({ length: 5_000 }, (_, i) => part('False', 'A', `part ${i}`));
    expect(summaryOf(many, good).message).toMatch(/^part 0; .*part 9; and 4990 more$/);
  });
});

describe('summarize', () => {
  const generation = 2;
  function ready(set: readonly Partial<Condition>[], options: Partial<SummaryOptions> = {}) {
    const conditions = set.map((one) => ({ observedGeneration: generation, reason: 'R', message: '', ...one }));
    const base = widget('w');
    const object = { ...base, metadata: { ...base.metadata, generation }, status: { conditions } };
    const draft = new StatusDraft(object as never, new VirtualClock());
    summarize({ object, conditions: draft.conditions }, { of: ['Stored', 'Served'], ...options });
    return draft.get(options.type ?? 'Ready');
  }

  it('is True of this generation when all parts are', () => {
    const set = [
      { type: 'Stored', status: 'True' },
      { type: 'Served', status: 'True' },
    ] as const;
    expect(ready(set)).toMatchObject({ status: 'True', reason: 'Ready', observedGeneration: 2 });
    expect(ready(set, { type: 'Healthy' })).toMatchObject({ type: 'Healthy', status: 'True', reason: 'Healthy' });
  });

  it('takes reason and message of the worst, and says whose they are', () => {
    const set = [
      { type: 'Stored', status: 'Unknown', reason: 'Silent' },
      { type: 'Served', status: 'False', reason: 'NoEndpoints', message: 'no pod is ready' },
    ] as const;
    expect(ready(set)).toMatchObject({ status: 'False', reason: 'NoEndpoints', message: 'Served: no pod is ready' });
    expect(ready(set.slice(0, 1), { of: ['Stored'] })).toMatchObject({ status: 'Unknown', message: 'Stored: Silent' });
  });

  it('knows nothing of a part that is missing or older', () => {
    expect(ready([{ type: 'Stored', status: 'True' }])).toMatchObject({
      status: 'Unknown',
      reason: 'NotReported',
      message: 'Served: not reported yet',
    });
    const older = { type: 'Served', status: 'True', observedGeneration: 1 } as const;
    expect(ready([{ type: 'Stored', status: 'True' }, older])).toMatchObject({
      status: 'Unknown',
      reason: 'Outdated',
      message: 'Served: reported for generation 1, not yet for 2',
    });
  });

  it('turns parts round that are good when False', () => {
    const of = { of: ['Served', 'Degraded'], negative: ['Degraded'] };
    const served = { type: 'Served', status: 'True' } as const;
    expect(ready([served, { type: 'Degraded', status: 'False' }], of)?.status).toBe('True');
    expect(ready([served, { type: 'Degraded', status: 'True', reason: 'DiskFull' }], of)).toMatchObject({
      status: 'False',
      reason: 'DiskFull',
    });
    expect(ready([served], of)?.status).toBe('Unknown');
  });

  it('refuses options that nobody reads', () => {
    expect(() => ready([], { negtive: [] } as never)).toThrow('unknown option `negtive`; did you mean `negative`?');
  });
});
