import { readFileSync } from 'node:fs';

/**
 * Conformance tests of 1.37.2 by what they need: `a` an API server with controllers and two nodes, no running pod; `b` simulated pods too.
 */
export type Tier = 'a' | 'b';

/** The full names of a tier's tests, as `e2e.test --list-conformance-tests` gives them. */
export function testsOf(tier: Tier): readonly string[] {
  return readFileSync(new URL(`tier-${tier}.txt`, import.meta.url), 'utf8')
    .trim()
    .split('\n');
}
