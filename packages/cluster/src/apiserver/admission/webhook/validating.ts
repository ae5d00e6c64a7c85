import type { AdmissionAttributes, AdmissionPlugin } from '../../types.ts';
import { isExempt } from '../matching/index.ts';
import type { WebhookContext } from './context.ts';
import { CallFailure, internalError } from './failures.ts';
import { hookSource } from './hook-source.ts';
import { invoke } from './invoke.ts';
import { type Invocation, match, meetsConditions } from './match.ts';

/** Asks all at once; of several refusals, that of the first in order is answered. */
async function ask(
  candidates: readonly Invocation[],
  attributes: AdmissionAttributes,
  context: WebhookContext,
): Promise<void> {
  const invocations: Invocation[] = [];
  for (const candidate of candidates) {
    if (await meetsConditions(candidate, attributes, context)) invocations.push(candidate);
  }
  const refusal = async (invocation: Invocation): Promise<unknown> => {
    try {
      await invoke(invocation, attributes, context, false);
      return undefined;
    } catch (error) {
      if (!(error instanceof CallFailure)) return error;
      return invocation.hook.ignoresFailures ? undefined : internalError(error.message);
    }
  };
  for (const error of await Promise.all(invocations.map(refusal))) if (error !== undefined) throw error;
}

/** Webhooks that may refuse a write in its final form. */
export function validatingWebhooks(context: WebhookContext): AdmissionPlugin {
  const hooks = hookSource('admissionregistration.k8s.io/validatingwebhookconfigurations');
  return {
    name: 'ValidatingAdmissionWebhook',
    validate(attributes) {
      const all = hooks(attributes.storage);
      if (all.length === 0 || isExempt(attributes)) return;
      const invocations = all.flatMap((hook) => match(hook, attributes, context) ?? []);
      if (invocations.length > 0) return ask(invocations, attributes, context);
    },
  };
}
