import type { MutableJson } from '@coxswain/k8s';
import { cloneJson, deepEqual } from '@coxswain/runtime/core';
import type { AdmissionAttributes, AdmissionPlugin } from '../../types.ts';
import { afterMutation } from '../draft/index.ts';
import { isExempt } from '../matching/index.ts';
import type { WebhookContext } from './context.ts';
import { CallFailure, internalError } from './failures.ts';
import type { Hook } from './hook.ts';
import { hookSource } from './hook-source.ts';
import { invoke } from './invoke.ts';
import { type Invocation, match, meetsConditions } from './match.ts';
import { patchDraft } from './patch-draft.ts';

/** What is remembered of the first pass of a write for the second. */
interface Round {
  /** Webhooks that have run and wish to run again. */
  readonly ran: Set<string>;
  /** Of these, the ones behind which the object changed. */
  readonly due: Set<string>;
  /** The object as the last webhook left it. */
  output: unknown;
}

function callAgain({ ran, due }: Round): void {
  for (const id of ran) due.add(id);
  ran.clear();
}

async function mutate(
  invocation: Invocation,
  attributes: AdmissionAttributes,
  context: WebhookContext,
): Promise<boolean> {
  const reply = await invoke(invocation, attributes, context, true);
  return reply.patch === '' ? false : patchDraft(invocation, attributes, reply);
}

/** One webhook, by its failure policy. Answers whether it changed the object. */
async function callOne(
  invocation: Invocation,
  attributes: AdmissionAttributes,
  context: WebhookContext,
): Promise<boolean> {
  try {
    return await mutate(invocation, attributes, context);
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    if (invocation.hook.ignoresFailures) return false;
    throw internalError(error.message);
  }
}

async function callAll(
  hooks: readonly Hook[],
  attributes: AdmissionAttributes,
  context: WebhookContext,
  round: Round,
  again: boolean,
): Promise<void> {
  const managedFields = (attributes.object?.metadata as MutableJson | undefined)?.managedFields;
  const before = cloneJson(managedFields);
  for (const hook of hooks) {
    const invocation = match(hook, attributes, context);
    if (!invocation || !(await meetsConditions(invocation, attributes, context))) continue;
    if (again && !round.due.has(hook.id)) continue;
    const changed = await callOne(invocation, attributes, context);
    if (changed) {
      callAgain(round);
      attributes.readmit();
    }
    if (hook.reinvokes) round.ran.add(hook.id);
  }
  round.output = cloneJson(attributes.object);
  afterMutation(attributes, before);
}

/** Webhooks that may change a write, one after the other. */
export function mutatingWebhooks(context: WebhookContext): AdmissionPlugin {
  const hooks = hookSource('admissionregistration.k8s.io/mutatingwebhookconfigurations');
  const rounds = new WeakMap<AdmissionAttributes, Round>();
  return {
    name: 'MutatingAdmissionWebhook',
    admit(attributes) {
      const all = hooks(attributes.storage);
      if (all.length === 0 || isExempt(attributes)) return;
      const earlier = rounds.get(attributes);
      // What the in-tree links changed since is a reason to ask again, too.
      if (earlier && !deepEqual(earlier.output, attributes.object)) callAgain(earlier);
      if (!all.some((hook) => match(hook, attributes, context))) return;
      const round = earlier ?? { ran: new Set(), due: new Set(), output: undefined };
      rounds.set(attributes, round);
      return callAll(all, attributes, context, round, earlier !== undefined);
    },
  };
}
