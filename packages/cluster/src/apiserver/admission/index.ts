/**
 * The built-in admission plug-ins: what the cluster adds to an object, or refuses, by looking at other objects.
 * Knows storage and the kinds it guards; nothing of requests or verbs.
 */
export { type AdmissionOptions, builtinAdmission, type OptionalPlugin } from './chain.ts';
export { installPolicyStatus } from './policy/index.ts';
export { defaultStorageClassName } from './storage-class.ts';
export {
  createWebhookCaller,
  type WebhookCaller,
  type WebhookContext,
  type WebhookRoutes,
  type WebhookTarget,
} from './webhook/index.ts';
