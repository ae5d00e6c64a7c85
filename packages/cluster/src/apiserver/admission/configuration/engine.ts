import type { ExpressionChecks } from './checks.ts';

type Checks = typeof import('./checks.ts');

let loaded: Checks | undefined;

/** Loads the expression engine, which takes its time, with the first expression that is written. */
export function loadChecks(): Promise<void> | undefined {
  if (loaded) return undefined;
  return import('./checks.ts').then((checks) => {
    loaded = checks;
  });
}

/** @throws Error before {@link loadChecks} is done */
export function checksFor(params: boolean, composed: boolean): ExpressionChecks {
  if (!loaded) throw new Error('expressions are checked before the engine is loaded');
  return new loaded.ExpressionChecks(params, composed);
}
