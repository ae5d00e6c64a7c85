/**
 * Webhooks: admission handlers of operators, served to the API server over TLS. A server is a runnable of the manager; what a
 * webhook does is a value. It knows the wire formats of reviews, and nothing of controllers.
 */
export type { CertificateParts, CertificateSource } from './certificate-source.ts';
export type { Convertible } from './conversion.ts';
export { Denied } from './denied.ts';
export type {
  AdmissionContext,
  Draft,
  Findings,
  Operation,
  Validation,
  Webhook,
  WebhookHandlers,
  WebhookOptions,
  WebhookSettings,
} from './types.ts';
export { webhook } from './webhook.ts';
export { conversionPath, type WebhookServer, type WebhookServerOptions, webhookServer } from './webhook-server.ts';
