import type { DynamicObject } from '@coxswain/k8s';
import type { AdmissionAttributes } from '../../types.ts';
import { valuesFor } from './evaluation.ts';
import type { Invocation, PolicyContext } from './invocations.ts';
import { type Verdict, verdictOf } from './judge.ts';
import type { ValidatingPolicy } from './policy.ts';

/** What a policy says about a write. In a file of its own because the expression engine takes its time to load. */
export function judge(
  invocation: Invocation<ValidatingPolicy>,
  attributes: AdmissionAttributes,
  namespace: DynamicObject | undefined,
  context: PolicyContext,
): Verdict {
  return verdictOf(invocation.policy, valuesFor(invocation, attributes, namespace, context));
}
