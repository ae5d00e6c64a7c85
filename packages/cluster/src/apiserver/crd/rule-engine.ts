import type * as Engine from '@coxswain/schema/cel';

type RuleEngine = Pick<typeof Engine, 'evaluateRules' | 'validateDefaults' | 'validateRules'>;

let loaded: RuleEngine | undefined;
let loading: Promise<void> | undefined;

async function load(): Promise<void> {
  loaded = await import('@coxswain/schema/cel');
}

/**
 * Loads what reads and runs the rules of schemas: much code, and most servers never meet a rule.
 * @returns undefined when it is there
 */
export function loadRuleEngine(): Promise<void> | undefined {
  if (loaded) return undefined;
  loading ??= load();
  return loading;
}

/** What {@link loadRuleEngine} has loaded. */
export function ruleEngine(): RuleEngine {
  if (!loaded) throw new Error('rules of a schema were asked for before what runs them was loaded');
  return loaded;
}
