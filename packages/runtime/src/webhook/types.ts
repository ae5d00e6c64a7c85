import type { Kind, KubeObject, LabelSelector, MatchCondition, UserInfo } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { Client } from '../client/index.ts';
import type { Clock, Logger } from '../core/index.ts';

/** What a webhook is asked about. `CONNECT` reaches no handler and is allowed. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** What a handler knows of the request besides the object. */
export interface AdmissionContext {
  readonly operation: Operation;
  /** Who asks. */
  readonly user: UserInfo;
  /** Nothing will be stored: a handler must have no effect on anything else then. */
  readonly dryRun: boolean;
  /** `''` when the object itself is written. */
  readonly subresource: string;
  /** May be empty when the object is created under a `generateName`. */
  readonly name: string;
  /** `''` when the kind has none. */
  readonly namespace: string;
  /** Of the request; on every line of `log`. */
  readonly requestId: string;
  /** The `CreateOptions`, `UpdateOptions` or `DeleteOptions` of the request. */
  readonly options: unknown;
  /** Asks the API server, for checks against other objects. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborted when the API server no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/**
 * What a validation found: strings are warnings, shown to the user by kubectl; field errors deny the request. Nothing, or
 * an empty list: the request is fine.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler with nothing to say just ends
export type Findings = readonly (FieldError | string)[] | undefined | void;

/** A `T` that may be changed. */
export type Draft<T> = T extends readonly (infer Item)[]
  ? Draft<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Draft<T[Key]> }
    : T;

/**
 * A validation throws to deny without a field: an `ApiError` is answered as it is, {@link Denied} with 403; every other error
 * counts as a mistake in the handler, denies with 500 and its message, and is logged.
 */
export interface Validation<T extends KubeObject> {
  create?(object: T, context: AdmissionContext): Findings | Promise<Findings>;
  update?(object: T, old: T, context: AdmissionContext): Findings | Promise<Findings>;
  delete?(old: T, context: AdmissionContext): Findings | Promise<Findings>;
}

/** What a webhook does; at least one of the two. */
export interface WebhookHandlers<T extends KubeObject> {
  /**
   * Fills in what was left out, on create and update. Changes `draft`, which is the object as it was sent; only what was
   * changed is sent back, so fields that are not in `T` stay. Must come to the same when it is run again on its result.
   */
  default?(draft: Draft<T>, context: AdmissionContext): void | Promise<void>;
  readonly validate?: Validation<T>;
}

/** How the API server calls a webhook: the fields of its entry in a webhook configuration, with kubebuilder's defaults. */
export interface WebhookSettings {
  /** Default: `mutate` or `validate`, group, version and kind: `/validate-demo-dev-v1-echo`. */
  readonly path?: string;
  /** In the configuration; default `m` or `v`, kind and version: `vecho-v1.kb.io`. */
  readonly name?: string;
  /** When the webhook cannot be asked; default `Fail`. */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** Default: absent, which the server takes as `Equivalent`. */
  readonly matchPolicy?: 'Exact' | 'Equivalent';
  /** Default `None`. */
  readonly sideEffects?: 'None' | 'NoneOnDryRun';
  /** 1 to 30; default: absent, which the server takes as 10. */
  readonly timeoutSeconds?: number;
  /** Default: `CREATE` and `UPDATE`, for a validation those it has handlers for. */
  readonly operations?: readonly ('CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT' | '*')[];
  /** Default: the group of the kind. */
  readonly groups?: readonly string[];
  /** Default: the version of the kind. */
  readonly versions?: readonly string[];
  /** Default: the plural of the kind; `echoes/status` and the like for subresources. */
  readonly resources?: readonly string[];
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  /** CEL conditions, all of which must hold for the webhook to be called. */
  readonly matchConditions?: readonly MatchCondition[];
  /** Whether a mutating webhook is asked again when a later one changed the object; default: absent, taken as `Never`. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
  /** Default `['v1']`. */
  readonly admissionReviewVersions?: readonly string[];
}

/** Settings of both webhooks of a kind; those under `mutating` and `validating` win. */
export interface WebhookOptions extends Omit<WebhookSettings, 'path' | 'name'> {
  readonly mutating?: WebhookSettings;
  readonly validating?: WebhookSettings;
}

/** The admission webhooks of one kind, as a value: a server serves them, configurations are made from them. */
export interface Webhook<T extends KubeObject = KubeObject> {
  readonly kind: Kind<T>;
  readonly handlers: WebhookHandlers<T>;
  readonly mutating: WebhookSettings & { readonly path: string; readonly name: string };
  readonly validating: WebhookSettings & { readonly path: string; readonly name: string };
}
