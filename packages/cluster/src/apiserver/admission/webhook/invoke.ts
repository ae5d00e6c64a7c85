import type { AdmissionAttributes } from '../../types.ts';
import { prepareVersions } from '../matching/index.ts';
import type { WebhookContext } from './context.ts';
import { CallFailure, denied, dryRunUnsupported } from './failures.ts';
import type { Invocation } from './match.ts';
import { OtherVersion, type Reply, readReply } from './reply.ts';
import { reviewOf } from './review.ts';

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Asks one webhook about a write.
 * @throws CallFailure when it gives no proper answer, ApiError when it refuses
 */
export async function invoke(
  invocation: Invocation,
  attributes: AdmissionAttributes,
  context: WebhookContext,
  mutating: boolean,
): Promise<Reply> {
  const { hook } = invocation;
  if (attributes.dryRun && !hook.dryRunSafe) throw dryRunUnsupported(hook.name);
  await prepareVersions(attributes, [invocation.resource]);
  const review = reviewOf(invocation, attributes, context);
  if (!review) {
    const why = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    throw new CallFailure(hook.name, `could not create admission objects: ${why}`);
  }
  const { client, timeoutSeconds } = hook;
  let answer: unknown;
  try {
    answer = await context.call({ client, timeoutSeconds, review: review.body, storage: attributes.storage });
  } catch (error) {
    throw new CallFailure(hook.name, `failed to call webhook: ${said(error)}`);
  }
  let reply: Reply;
  try {
    reply = readReply(review, answer, mutating);
  } catch (error) {
    const what = error instanceof OtherVersion ? 'failed to call webhook' : 'received invalid webhook response';
    throw new CallFailure(hook.name, `${what}: ${said(error)}`);
  }
  for (const text of reply.warnings) attributes.warn(text);
  for (const [key, text] of reply.annotations) attributes.annotate(`${hook.name}/${key}`, text);
  if (!reply.allowed) throw denied(hook.name, reply.result);
  return reply;
}
