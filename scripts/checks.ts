import { checkDocstrings } from './docstrings.ts';
import { checkImports } from './imports.ts';
import { root, run } from './run.ts';

/** A check of the sources: its name, and whether they pass. */
export interface Check {
  readonly name: string;
  readonly pass: () => Promise<boolean>;
}

/** A check that finds violations, a line each, and tells them. */
const finding = (name: string, find: (root: string) => Promise<readonly string[]>): Check => ({
  name,
  pass: async () => {
    const violations = await find(root);
    for (const violation of violations) process.stderr.write(`${violation}\n`);
    return violations.length === 0;
  },
});

/** Style, types, who may import whom, and that what is public is explained. */
export const checks: readonly Check[] = [
  { name: 'biome', pass: async () => (await run('biome', ['check', '--error-on-warnings', '.'])) === 0 },
  { name: 'types', pass: async () => (await run('tsc', ['-p', '.'])) === 0 },
  finding('imports', checkImports),
  finding('docstrings', checkDocstrings),
];
