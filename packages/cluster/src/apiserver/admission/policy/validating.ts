import { ApiError, forbidden } from '@coxswain/runtime/core';
import type { AdmissionAttributes, AdmissionPlugin } from '../../types.ts';
import { isExempt, nameIn, prepareVersions } from '../matching/index.ts';
import {
  type Asked,
  askedFor,
  type Invocation,
  type Misconfiguration,
  namespaceFor,
  type PolicyContext,
} from './invocations.ts';
import type { Verdict } from './judge.ts';
import { type ValidatingPolicy, validatingPolicyOf } from './policy.ts';
import { policySource } from './policy-source.ts';

type Engine = typeof import('./validating-engine.ts');

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

/** Bytes of an audit annotation that are kept, and failures that are noted in one. */
const longestAnnotation = 10 * 1024;
const mostFailures = 50;

/** Why a write is refused, and by whom. */
interface Refusal extends Misconfiguration<ValidatingPolicy> {
  readonly reason: string;
}

function refusalError(attributes: AdmissionAttributes, { policy, binding, message, reason }: Refusal): ApiError {
  const by = `ValidatingAdmissionPolicy '${policy.name}'${binding ? ` with binding '${binding.name}'` : ''}`;
  const why = `${by} denied request: ${message}`;
  const { status } = forbidden(attributes.resource, nameIn(attributes), why, [{ message: why }]);
  return new ApiError({ ...status, reason: reason || 'Invalid', code: codes[reason] ?? 422 });
}

/** What is noted for those who audit: values of a policy's annotations, and the failures that are only to be noted. */
class Notes {
  readonly #values = new Map<string, string[]>();
  readonly #failures: object[] = [];

  add({ policy, binding }: Invocation<ValidatingPolicy>, { annotations, failures }: Verdict): void {
    for (const { key, value } of annotations) {
      const name = `${policy.name}/${key}`;
      const known = this.#values.get(name) ?? [];
      const text = value.slice(0, longestAnnotation);
      if (!known.includes(text)) this.#values.set(name, [...known, text]);
    }
    if (!binding.actions.includes('Audit')) return;
    for (const { message, index } of failures) {
      const who = { policy: policy.name, binding: binding.name };
      this.#failures.push({ message, ...who, expressionIndex: index, validationActions: binding.actions });
    }
  }

  publish({ annotate }: AdmissionAttributes): void {
    for (const [key, values] of this.#values) annotate(key, values.join(', '));
    if (this.#failures.length === 0) return;
    const failures = JSON.stringify(this.#failures.slice(0, mostFailures));
    annotate('validation.policy.admission.k8s.io/validation_failure', failures);
  }
}

function refusalsOf(
  { policy, binding }: Invocation<ValidatingPolicy>,
  { failures, broken }: Verdict,
  { warn }: AdmissionAttributes,
): readonly Refusal[] {
  const refusals: Refusal[] = [];
  for (const { message, reason } of failures) {
    if (binding.actions.includes('Deny')) refusals.push({ policy, binding, message, reason });
    if (binding.actions.includes('Warn')) {
      const what = `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
      warn(`${what}: ${message}`);
    }
  }
  return [...refusals, ...broken.map((message) => ({ policy, binding, message, reason: '' }))];
}

/** All policies are heard before the first refusal in their order is answered. */
function decide(
  asked: readonly Asked<ValidatingPolicy>[],
  attributes: AdmissionAttributes,
  judge: (invocation: Invocation<ValidatingPolicy>) => Verdict,
): void {
  const notes = new Notes();
  const refusals: Refusal[] = [];
  for (const one of asked) {
    if ('message' in one) refusals.push({ ...one, reason: '' });
    else {
      const verdict = judge(one);
      notes.add(one, verdict);
      refusals.push(...refusalsOf(one, verdict, attributes));
    }
  }
  notes.publish(attributes);
  if (refusals[0]) throw refusalError(attributes, refusals[0]);
}

/** Policies that refuse (or only warn of) a write in its final form. Once the expression engine is there, nothing waits. */
export function validatingPolicies(context: PolicyContext): AdmissionPlugin {
  const policies = policySource('validating', validatingPolicyOf);
  let engine: Engine | undefined;
  return {
    name: 'ValidatingAdmissionPolicy',
    validate(attributes) {
      const all = policies(attributes.storage);
      if (all.length === 0 || isExempt(attributes)) return;
      const asked = askedFor(all, attributes, context);
      if (asked.length === 0) return;
      const namespace = namespaceFor(attributes);
      const judged = ({ judge }: Engine) =>
        decide(asked, attributes, (invocation) => judge(invocation, attributes, namespace, context));
      const pending = prepareVersions(
        attributes,
        asked.flatMap((one) => ('resource' in one ? [one.resource] : [])),
      );
      if (engine && !pending) return judged(engine);
      return Promise.all([import('./validating-engine.ts'), pending]).then(([loaded]) => {
        engine = loaded;
        judged(loaded);
      });
    },
  };
}
