/**
 * Admission webhooks: programs outside the server that change or refuse writes. Knows the webhook configurations in storage,
 * what a review looks like on the wire, and the texts of failures; nothing of verbs. Who is reached how is in `reach/`.
 */
export { type CallWebhook, createWebhookCaller, type WebhookCaller, type WebhookRequest } from './caller.ts';
export type { WebhookContext } from './context.ts';
export { type ClientConfig, clientOf } from './hook.ts';
export { mutatingWebhooks } from './mutating.ts';
export type { WebhookRoutes, WebhookTarget } from './routes.ts';
export { validatingWebhooks } from './validating.ts';
