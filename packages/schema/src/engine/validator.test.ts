import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyFields, schemas } from '../test/arbitraries.ts';
import { makeDeref } from './reference.ts';
import { Report } from './report.ts';
import { Validator } from './validator.ts';

it('finds something to report exactly when the quick check fails', () => {
  fc.assert(
    fc.property(schemas.node, anyFields, (node, value) => {
      const check = new Validator(makeDeref(undefined)).check(node);
      const report = new Report('');
      const answer = check(value, report);
      expect(report.valid).toBe(check(value, undefined));
      expect(answer).toBe(report.valid);
    }),
    { numRuns: 300 },
  );
});
