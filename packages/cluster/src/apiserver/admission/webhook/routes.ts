/**
 * Where a Service's webhooks are: `https://host:port` (its certificate must be for `name.namespace.svc`), or a function
 * in this process that answers a review, which then needs no certificate.
 */
export type WebhookTarget = string | ((path: string, review: unknown) => Promise<unknown>);

/** By `namespace/name`, or `namespace/name:port` for one port. Read at every call, so entries may come and go. */
export type WebhookRoutes = ReadonlyMap<string, WebhookTarget>;
