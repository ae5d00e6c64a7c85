/**
 * Versions of a custom kind: the form in which its objects are stored, and those in which they are served. Knows what a
 * conversion webhook is asked and may answer; nothing of requests and of storage.
 */
export { conversionsOf } from './kind-forms.ts';
export { type ConversionWebhooks, type Convert, webhookConverter } from './webhook.ts';
