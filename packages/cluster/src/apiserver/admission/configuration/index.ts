/**
 * The rules of the kinds that configure admission: webhooks, policies and their bindings, with their expressions compiled and
 * checked as they are written. Knows objects and expressions; nothing of requests or of who is called.
 */
export { mutatingBindingStrategy, validatingBindingStrategy } from './binding.ts';
export { mutatingPolicyStrategy } from './mutating-policy.ts';
export { paramRights } from './param-rights.ts';
export { validatingPolicyStrategy } from './validating-policy.ts';
export { mutatingWebhookStrategy, validatingWebhookStrategy } from './webhooks.ts';
