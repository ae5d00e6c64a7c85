import type { Random } from '@coxswain/runtime/core';
import type { Authorizer } from '../../authorization/index.ts';
import type { Registry } from '../../types.ts';
import type { CallWebhook } from './caller.ts';

/** What the webhook plug-ins work with. */
export interface WebhookContext {
  readonly random: Random;
  readonly registry: Registry;
  readonly call: CallWebhook;
  /** Answers the questions of match conditions about rights. Absent: everybody may do everything. */
  readonly authorizer?: Authorizer | undefined;
}
