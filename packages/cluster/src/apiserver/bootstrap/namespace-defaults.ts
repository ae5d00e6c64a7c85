import type { StorageSubscription } from '../../storage/types.ts';
import { type BootstrapContext, ensureCurrent, ensureStored } from './write.ts';

const authorityName = 'kube-root-ca.crt';

export interface NamespaceDefaults {
  /** PEM text of the certificate authority, for the ConfigMap `kube-root-ca.crt`. Absent: no such ConfigMap. */
  readonly certificateAuthority?: string;
}

/** What is made in every new namespace, before anyone can ask for it. */
function fillNamespace(
  context: BootstrapContext,
  namespace: string,
  { certificateAuthority }: NamespaceDefaults,
): void {
  ensureStored(context, {
    resource: '/serviceaccounts',
    object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } },
  });
  if (certificateAuthority === undefined) return;
  const annotations = {
    'kubernetes.io/description': 'The certificate authority by which programs in the cluster know the API server.',
  };
  ensureCurrent(context, {
    resource: '/configmaps',
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: authorityName, namespace, annotations },
      data: { 'ca.crt': certificateAuthority },
    },
  });
}

/**
 * Keeps a default service account (and the certificate authority) in every namespace that is not going away: at once when
 * the namespace comes, and again when either is deleted or the authority is changed.
 */
export function installNamespaceDefaults(context: BootstrapContext, defaults: NamespaceDefaults): StorageSubscription {
  const { storage } = context;
  const fill = (name: string) => {
    const namespace = storage.get({ resource: '/namespaces', namespace: '', name });
    if (namespace && namespace.metadata.deletionTimestamp === undefined) fillNamespace(context, name, defaults);
  };
  for (const { metadata } of storage.list('/namespaces').objects) fill(metadata.name);
  const subscriptions = [
    storage.subscribe('/namespaces', storage.revision, ({ type, key }) => {
      if (type === 'created') fill(key.name);
    }),
    ...['/serviceaccounts', '/configmaps'].map((resource) =>
      storage.subscribe(resource, storage.revision, ({ type, key }) => {
        if (type !== 'created' && ['default', authorityName].includes(key.name)) fill(key.namespace);
      }),
    ),
  ];
  return {
    cancel() {
      for (const subscription of subscriptions) subscription.cancel();
    },
  };
}
