import type { KubeObject, Status } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import { type Client, stringifyJson } from '../client/index.ts';
import { ApiError, apiError, type Clock, cloneJson, invalid, type Logger, messageOf } from '../core/index.ts';
import { Denied } from './denied.ts';
import { patchBetween } from './patch-between.ts';
import { type AdmissionRequest, readReview } from './review.ts';
import type { AdmissionContext, Draft, Findings, Webhook } from './types.ts';

/** What the handlers of a server are given. */
export interface HandlerParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** Counts a handler that failed by a mistake of its own. */
  readonly failed: () => void;
}

/** An `AdmissionResponse` without its `uid`. */
interface Verdict {
  readonly allowed: boolean;
  readonly status?: Status;
  readonly warnings?: readonly string[];
  readonly patchType?: 'JSONPatch';
  /** Base64. */
  readonly patch?: string;
}

/** Answers an AdmissionReview with one. What a handler throws becomes a denial. @throws ApiError 400: it is no review */
export async function admit(
  hook: Webhook,
  verb: 'mutate' | 'validate',
  body: unknown,
  parts: HandlerParts,
  signal: AbortSignal,
): Promise<unknown> {
  const { apiVersion, request } = readReview(body);
  const context = contextOf(request, parts, signal);
  const decide = verb === 'mutate' ? mutate : validate;
  let verdict: Verdict;
  try {
    mustBeOf(hook, request);
    verdict = await decide(hook, request, context);
  } catch (error) {
    verdict = { allowed: false, status: statusOf(error, parts, context.log) };
  }
  if (!verdict.allowed) context.log.debug({ reason: verdict.status?.reason }, 'request denied');
  return { apiVersion, kind: 'AdmissionReview', response: { uid: request.uid, ...verdict } };
}

function contextOf(request: AdmissionRequest, parts: HandlerParts, signal: AbortSignal): AdmissionContext {
  const { uid, operation, userInfo: user, dryRun = false, subResource: subresource = '', options } = request;
  const { name = '', namespace = '' } = request;
  const { client, clock, log } = parts;
  return {
    ...{ operation, user, dryRun, subresource, name, namespace, options, client, clock, signal },
    requestId: uid,
    log: log.child({ namespace, name, operation, user: user.username, requestID: uid }),
  };
}

/** A rule that also matches another kind, or another version without conversion, would hand the handler what it does not know. */
function mustBeOf({ kind: { group, version, kind } }: Webhook, { kind: asked, operation }: AdmissionRequest): void {
  if (operation === 'CONNECT' || (asked.group === group && asked.version === version && asked.kind === kind)) return;
  const given = `${asked.kind} of ${asked.group}/${asked.version}`;
  const message = `this webhook is for ${kind} of ${group}/${version}, not for ${given}; correct its rules`;
  throw apiError(400, 'BadRequest', message);
}

async function mutate(hook: Webhook, request: AdmissionRequest, context: AdmissionContext): Promise<Verdict> {
  const { object, operation } = request;
  if (!object || operation === 'DELETE' || operation === 'CONNECT') return { allowed: true };
  const draft = cloneJson(object) as Draft<KubeObject>;
  await hook.handlers.default?.(draft, context);
  const patch = patchBetween(object, draft);
  if (patch.length === 0) return { allowed: true };
  return { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(stringifyJson(patch)).toString('base64') };
}

async function validate(hook: Webhook, request: AdmissionRequest, context: AdmissionContext): Promise<Verdict> {
  const findings = (await findingsOf(hook, request, context)) ?? [];
  const warnings = findings.filter((finding) => typeof finding === 'string');
  const errors = findings.filter((finding) => typeof finding !== 'string');
  const rest = warnings.length > 0 ? { warnings } : {};
  return errors.length === 0
    ? { allowed: true, ...rest }
    : { allowed: false, status: refusal(hook, request, errors), ...rest };
}

function findingsOf(
  { handlers: { validate: validation = {} } }: Webhook,
  { operation, object, oldObject }: AdmissionRequest,
  context: AdmissionContext,
): Findings | Promise<Findings> {
  if (operation === 'CREATE' && object) return validation.create?.(object, context);
  if (operation === 'UPDATE' && object && oldObject) return validation.update?.(object, oldObject, context);
  if (operation === 'DELETE' && oldObject) return validation.delete?.(oldObject, context);
  return undefined;
}

function refusal({ kind }: Webhook, request: AdmissionRequest, errors: readonly FieldError[]): Status {
  const { metadata } = request.object ?? request.oldObject ?? {};
  const name = request.name || metadata?.name || metadata?.generateName || '';
  return invalid(kind.group, kind.kind, name, errors).status;
}

function statusOf(error: unknown, { failed }: HandlerParts, log: Logger): Status {
  if (error instanceof ApiError) return error.status;
  if (error instanceof Denied) return apiError(403, 'Forbidden', error.message).status;
  failed();
  log.error({ err: error }, 'the handler failed; the request is denied');
  return apiError(500, 'InternalError', messageOf(error)).status;
}
