import type { Kind, KubeObject } from '@coxswain/k8s';
import type { Webhook, WebhookHandlers, WebhookOptions, WebhookSettings } from './types.ts';

/**
 * Admission webhooks of a kind: a `default` makes a mutating one, `validate` a validating one. Paths and names are those
 * that kubebuilder gives, so that manifests written for a Go operator fit.
 * @throws TypeError when there is no handler
 */
export function webhook<T extends KubeObject>(
  kind: Kind<T>,
  handlers: WebhookHandlers<T>,
  { mutating, validating, ...both }: WebhookOptions = {},
): Webhook<T> {
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
