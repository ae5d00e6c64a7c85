import { tests } from '@bufbuild/cel-spec/testdata/conformance.js';
import { expect, it } from 'vitest';
import { allTests, runTest, skipReason } from './test/conformance.ts';

/**
 * The least number of tests that pass, of 1616 that apply. It may only grow. The others want what the API server does
 * not do: refuse repeated keys, parts of an optional that is no container, and offsets behind the end of a text; and
 * one wants null among optionals to be an optional.
 */
const mustPass = 1609;

it('passes the conformance data of the language', () => {
  const failures: string[] = [];
  const skipped = new Map<string, number>();
  let total = 0;
  for (const test of allTests(tests)) {
    const reason = skipReason(test);
    if (reason !== undefined) {
      skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
      continue;
    }
    total += 1;
    const failure = runTest(test.original);
    if (failure !== undefined) failures.push(`${test.section}: ${test.original.expr} ${failure}`);
  }
  const passed = total - failures.length;
  const left = [...skipped].map(([reason, count]) => `${count} × ${reason}`).join('; ');
  process.stdout.write(`CEL conformance: ${passed} of ${total} pass; skipped: ${left}\n`);
  expect(passed, failures.join('\n')).toBeGreaterThanOrEqual(mustPass);
});
