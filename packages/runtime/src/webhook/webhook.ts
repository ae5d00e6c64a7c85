import type { Kind, KubeObject } from '@coxswain/k8s';
import { checkKind } from '../core/index.ts';
import { checkWebhook } from './check-options.ts';
import type { Webhook, WebhookHandlers, WebhookOptions, WebhookSettings } from './types.ts';

/**
 * Admission webhooks of a kind: a `default` makes a mutating one, `validate` a validating one. Paths and names are those
 * that kubebuilder gives, so that manifests written for a Go operator fit.
 * @throws TypeError when there is no handler, one that is no function, or an option that nobody reads
 */
export function webhook<T extends KubeObject>(
  kind: Kind<T>,
  handlers: WebhookHandlers<T>,
  options: WebhookOptions = {},
): Webhook<T> {
  checkKind('webhook', kind);
  checkWebhook(kind, handlers as WebhookHandlers<KubeObject>, options);
  const { mutating, validating, ...both } = options;
  if (!handlers.default && !handlers.validate) {
    throw new TypeError(`the webhook of ${kind.kind} has no handler; give it "default", "validate" or both`);
  }
  return {
    kind,
    handlers,
    mutating: named(kind, 'mutate', { ...both, ...mutating }),
    validating: named(kind, 'validate', { ...both, ...validating }),
  };
}

function named({ group, version, kind }: Kind, verb: 'mutate' | 'validate', settings: WebhookSettings) {
  const lower = kind.toLowerCase();
  return {
    path: `/${verb}-${group.replaceAll('.', '-')}-${version}-${lower}`,
    name: `${verb[0]}${lower}-${version}.kb.io`,
    ...settings,
  };
}
