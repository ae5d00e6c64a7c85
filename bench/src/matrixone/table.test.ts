import { expect, test } from 'vitest';
import type { Result } from './measure.ts';
import { table } from './table.ts';

const create = { what: 'create', cpu: 2, resident: 100 };
const one: Result = {
  clusters: 20,
  empty: 90,
  peak: 110.4,
  idle: { seconds: 120, requests: {}, writes: 0, cpu: 0.1 },
  steps: [
    { ...create, seconds: [4, 6, 20], requests: { 'create secrets': 20, 'list pods': 2 }, late: { 'patch pods': 5 } },
  ],
};

test('figures stand beside those of the upstream operator, and requests are told for each cluster', () => {
  const lines = table([one]).split('\n');
  expect(lines[0]).toBe('| clusters | 20 | upstream, 20 |');
  expect(lines).toContain('| create, median | 6.00 | 51.7 |');
  expect(lines).toContain('| create, slowest | 20.0 | 55.3 |');
  expect(lines).toContain('| create, requests | 1.10 | 123 |');
  expect(lines).toContain('| create, requests afterwards | 0.25 |  |');
  expect(lines).toContain('| resident, peak of all | 110 |  |');
  expect(lines).toContain('| idle, writes in 120 s | 0.00 |  |');
  expect(lines).toContain('| patch pods | 0.25 |');
});
