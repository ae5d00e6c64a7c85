import type { MutableJson } from '@coxswain/k8s';
import { forbidden, type Random, randomSuffix } from '@coxswain/runtime/core';
import { copyJson, ensureObject, listAt, objectsAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../types.ts';
import { podSpecOf } from './pod-spec.ts';

/** Where programs look for the token of their service account. */
const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount';

function accountOf({ resource, name, namespace, storage }: AdmissionAttributes, wanted: string): ReadJson {
  const account = storage.get({ resource: '/serviceaccounts', namespace, name: wanted });
  if (account) return account as unknown as ReadJson;
  const why = `error looking up service account ${namespace}/${wanted}: serviceaccount "${wanted}" not found`;
  throw forbidden(resource, name, why);
}

/** Token, certificate authority and namespace in one volume. */
function tokenVolume(name: string): MutableJson {
  const namespaceFile = { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } };
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [namespaceFile] } },
      ],
      defaultMode: 420,
    },
  };
}

function mountToken(spec: MutableJson, random: Random): void {
  const open = ['initContainers', 'containers'].flatMap((key) =>
    objectsAt(spec, key).filter(
      (container) => !objectsAt(container, 'volumeMounts').some((mount) => mount.mountPath === tokenPath),
    ),
  );
  const present = objectsAt(spec, 'volumes').find((volume) => textAt(volume, 'name').startsWith('kube-api-access-'));
  if (open.length === 0) return;
  const name = present ? textAt(present, 'name') : `kube-api-access-${randomSuffix(random)}`;
  for (const container of open) {
    const mounts = listAt(container, 'volumeMounts');
    container.volumeMounts = [...mounts, { name, readOnly: true, mountPath: tokenPath }];
  }
  if (!present) spec.volumes = [...listAt(spec, 'volumes'), tokenVolume(name)];
}

/** Gives every pod a service account that exists, with its pull secrets and, unless refused, its token. */
export function serviceAccount(random: Random): AdmissionPlugin {
  return {
    name: 'ServiceAccount',
    admit(attributes) {
      const pod = podSpecOf(attributes);
      if (!pod) return;
      const { spec } = pod;
      const wanted = textAt(spec, 'serviceAccountName') || 'default';
      spec.serviceAccountName = wanted;
      spec.serviceAccount = wanted;
      const account = accountOf(attributes, wanted);
      const automount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
      if (automount === true) mountToken(spec, random);
      if (listAt(spec, 'imagePullSecrets').length === 0 && listAt(account, 'imagePullSecrets').length > 0) {
        spec.imagePullSecrets = copyJson(account.imagePullSecrets);
      }
      ensureObject(spec, 'securityContext');
    },
  };
}
