import type { ReadJson } from '../apiserver/builtin/shared/draft.ts';
import { type Amounts, one } from './amounts.ts';
import { claimEvaluator } from './claims.ts';
import { podEvaluator } from './pods.ts';
import type { ScopeSelector } from './scopes.ts';
import { serviceEvaluator } from './services.ts';

/** How the objects of one resource are charged. */
export interface Evaluator {
  /** Of the names in a quota, those that these objects are charged to. */
  matching(names: readonly string[]): readonly string[];
  /** Whether an object is in a quota's scope. */
  inScope(selector: ScopeSelector, object: ReadJson): boolean;
  /** Why an object may not be charged to these names, in words. */
  refusal(names: readonly string[], object: ReadJson): string | undefined;
  /** @param now wall time in milliseconds; absent: what is overdue still counts */
  usage(object: ReadJson, now?: number): Amounts;
}

/** Names from before any kind could be counted. */
const aliases: ReadonlySet<string> = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']);

/** `count/pods`, `count/deployments.apps` … */
export function countName(group: string, plural: string): string {
  return group === '' ? `count/${plural}` : `count/${plural}.${group}`;
}

function counter(group: string, plural: string): Evaluator {
  const names = [countName(group, plural), ...(group === '' && aliases.has(plural) ? [plural] : [])];
  const usage: Amounts = new Map(names.map((name) => [name, one]));
  return {
    matching: (given) => given.filter((name) => names.includes(name)),
    inScope: () => false,
    refusal: () => undefined,
    usage: () => usage,
  };
}

/** How objects of a resource are charged: pods, services and claims by what is in them, all others by number. */
export function evaluatorFor(group: string, plural: string): Evaluator {
  if (group === '') {
    if (plural === 'pods') return podEvaluator;
    if (plural === 'services') return serviceEvaluator;
    if (plural === 'persistentvolumeclaims') return claimEvaluator;
  }
  return counter(group, plural);
}
