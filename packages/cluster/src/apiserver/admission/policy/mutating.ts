import type { MutableJson } from '@coxswain/k8s';
import { ApiError, cloneJson, deepEqual, forbidden } from '@coxswain/runtime/core';
import type { AdmissionAttributes, AdmissionPlugin } from '../../types.ts';
import { afterMutation } from '../draft/index.ts';
import { isExempt, nameIn } from '../matching/index.ts';
import {
  type Asked,
  askedFor,
  type Invocation,
  type Misconfiguration,
  namespaceFor,
  type PolicyContext,
} from './invocations.ts';
import { type MutatingPolicy, mutatingPolicyOf } from './policy.ts';
import { policySource } from './policy-source.ts';

type Engine = typeof import('./mutating-engine.ts');
type Change = Invocation<MutatingPolicy>;

interface Problem extends Misconfiguration<MutatingPolicy> {
  /** Of the answer; `''` for Forbidden. */
  readonly reason: string;
}

/** What is remembered of the first pass of a write for the second. */
interface Round {
  /** Policies that have run and wish to run again. */
  readonly ran: Set<string>;
  /** Of these, the ones behind which the object changed. */
  readonly due: Set<string>;
  /** The object as the last policy left it. */
  output: unknown;
}

function callAgain({ ran, due }: Round): void {
  for (const key of ran) due.add(key);
  ran.clear();
}

function keyOf({ policy, binding, params }: Change): string {
  const { namespace = '', name = '' } = params?.metadata ?? {};
  return JSON.stringify([policy.name, binding.name, namespace, name]);
}

function problemText({ policy, binding, message }: Problem): string {
  const by = binding
    ? `policy '${policy.name}' with binding '${binding.name}'`
    : `policy ${JSON.stringify(policy.name)}`;
  return `${by} denied request: ${message}`;
}

/** The answer to a write that policies could not change as they should; of the first one, with all of them as causes. */
function refusal(attributes: AdmissionAttributes, problems: readonly Problem[]): ApiError {
  const causes = problems.map((problem) => ({ message: problemText(problem) }));
  const { status } = forbidden(attributes.resource, nameIn(attributes), '', causes);
  const [first] = problems;
  return new ApiError({
    ...status,
    message: causes[0]?.message ?? '',
    ...(first?.reason ? { reason: first.reason } : {}),
  });
}

/** Lets one policy change the object. Answers what went wrong; each of its mutations is tried. */
function change(invocation: Change, attributes: AdmissionAttributes, round: Round, apply: () => string[]): string[] {
  const before = cloneJson(attributes.object);
  const problems = apply();
  if (!deepEqual(before, attributes.object)) {
    callAgain(round);
    attributes.readmit();
  }
  if (invocation.policy.reinvokes) round.ran.add(keyOf(invocation));
  return problems;
}

interface Pass {
  readonly asked: readonly Asked<MutatingPolicy>[];
  readonly round: Round;
  /** The second one of the write. */
  readonly again: boolean;
}

function changeAll(
  { asked, round, again }: Pass,
  attributes: AdmissionAttributes,
  engine: Engine,
  context: PolicyContext,
): void {
  const problems: Problem[] = asked.flatMap((one) => ('message' in one ? [{ ...one, reason: '' }] : []));
  const managedFields = cloneJson((attributes.object?.metadata as MutableJson | undefined)?.managedFields);
  const namespace = namespaceFor(attributes);
  let applied = false;
  for (const one of asked) {
    if ('message' in one) continue;
    const { policy, binding } = one;
    const fail = (message: string) => problems.push({ policy, binding, message, reason: 'Invalid' });
    const values = () => engine.mutationValues(one, attributes, namespace, context);
    const meant = engine.isMeant(policy, values());
    if (typeof meant === 'string') fail(meant);
    if (meant !== true || (again && !round.due.has(keyOf(one)))) continue;
    const failed = change(one, attributes, round, () => engine.applyMutations(one, attributes, values));
    if (failed.length < policy.mutations.length) applied = true;
    for (const text of failed) fail(text);
  }
  // Whoever wishes to run again does so even after itself.
  if (applied) {
    callAgain(round);
    attributes.readmit();
  }
  round.output = cloneJson(attributes.object);
  afterMutation(attributes, managedFields);
  const open = problems.filter(({ policy }) => !policy.ignoresFailures);
  if (open.length > 0) throw refusal(attributes, open);
}

/** Policies that change what is written. Once the expression engine is there, nothing waits. */
export function mutatingPolicies(context: PolicyContext): AdmissionPlugin {
  const policies = policySource('mutating', mutatingPolicyOf);
  const rounds = new WeakMap<AdmissionAttributes, Round>();
  let engine: Engine | undefined;
  return {
    name: 'MutatingAdmissionPolicy',
    admit(attributes) {
      const all = policies(attributes.storage);
      if (all.length === 0 || attributes.operation === 'DELETE' || isExempt(attributes)) return;
      const asked = askedFor(all, attributes, context);
      if (asked.length === 0) return;
      const earlier = rounds.get(attributes);
      // What the in-tree links changed since is a reason to run again, too.
      if (earlier && !deepEqual(earlier.output, attributes.object)) callAgain(earlier);
      const round = earlier ?? { ran: new Set(), due: new Set(), output: undefined };
      rounds.set(attributes, round);
      const pass = { asked, round, again: earlier !== undefined };
      if (engine) return changeAll(pass, attributes, engine, context);
      return import('./mutating-engine.ts').then((loaded) => {
        engine = loaded;
        changeAll(pass, attributes, loaded, context);
      });
    },
  };
}
