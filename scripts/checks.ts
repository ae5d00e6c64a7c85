import { checkImports } from './imports.ts';
import { root, run } from './run.ts';

/** A check of the sources: its name, and whether they pass. */
export interface Check {
  readonly name: string;
  readonly pass: () => Promise<boolean>;
}

/** Style, types, and who may import whom. */
export const checks: readonly Check[] = [
  { name: 'biome', pass: async () => (await run('biome', ['check', '--error-on-warnings', '.'])) === 0 },
  { name: 'types', pass: async () => (await run('tsc', ['-p', '.'])) === 0 },
  {
    name: 'imports',
    pass: async () => {
      const violations = await checkImports(root);
      for (const violation of violations) process.stderr.write(`${violation}\n`);
      return violations.length === 0;
    },
  },
];
