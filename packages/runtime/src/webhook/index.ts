/**
 * Webhooks: admission handlers of operators, served to the API server over TLS. A server is a runnable of the manager; what a
 * webhook does is a value. It knows the wire formats of reviews, and nothing of controllers.
 */
export type { CaTargets, ServiceKey } from './certificates/ca-injection.ts';
export type { CertificateParts, CertificateSource } from './certificates/certificate-source.ts';
export { type CertificateFiles, certificatesFromFiles } from './certificates/certificates-from-files.ts';
export { type SelfSignedOptions, selfSigned } from './certificates/self-signed.ts';
export {
  type ConfigurationOptions,
  type WebhookAddress,
  webhookConfigurations,
  withConversionWebhook,
} from './configurations.ts';
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
