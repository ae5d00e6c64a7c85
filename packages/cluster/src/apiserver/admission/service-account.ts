import type { MutableJson } from '@coxswain/k8s';
import { forbidden, type Random, randomSuffix } from '@coxswain/runtime/core';
import { copyJson, ensureObject, listAt, objectAt, objectsAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../types.ts';
import { nameIn } from './matching/index.ts';
import { mountableRefusal, usesSecrets } from './mountable-secrets.ts';
import { isMirror, isPodCreation, podSpecOf } from './pod-spec.ts';

/** Where programs look for the token of their service account. */
const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount';

function accountOf(attributes: AdmissionAttributes, wanted: string): ReadJson {
  const { resource, namespace, storage } = attributes;
  const account = storage.get({ resource: '/serviceaccounts', namespace, name: wanted });
  if (account) return account as unknown as ReadJson;
  const why = `error looking up service account ${namespace}/${wanted}: serviceaccount "${wanted}" not found`;
  throw forbidden(resource, nameIn(attributes), why);
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

/** Pods that nodes make by themselves may not use what only the server can give. */
function checkMirror(attributes: AdmissionAttributes, spec: ReadJson): void {
  const refuse = (why: string): never => {
    throw forbidden(attributes.resource, nameIn(attributes), `a mirror pod may not ${why}`);
  };
  if (textAt(spec, 'serviceAccountName') !== '') refuse('reference service accounts');
  if (usesSecrets(spec)) refuse('reference secrets');
  const sources = objectsAt(spec, 'volumes').flatMap((volume) => objectsAt(objectAt(volume, 'projected'), 'sources'));
  if (sources.some((source) => objectAt(source, 'serviceAccountToken'))) {
    refuse('use ServiceAccountToken volume projections');
  }
}

function check(attributes: AdmissionAttributes): void {
  const spec = isPodCreation(attributes) ? objectAt(attributes.object, 'spec') : undefined;
  if (!spec) return;
  if (isMirror(attributes.object)) {
    checkMirror(attributes, spec);
    return;
  }
  const account = accountOf(attributes, textAt(spec, 'serviceAccountName') || 'default');
  const refusal = mountableRefusal(account, spec);
  if (refusal !== undefined) throw forbidden(attributes.resource, nameIn(attributes), refusal);
}

/** Gives every pod a service account that exists, with its pull secrets and, unless refused, its token. */
export function serviceAccount(random: Random): AdmissionPlugin {
  return {
    name: 'ServiceAccount',
    admit(attributes) {
      if (isPodCreation(attributes) && isMirror(attributes.object)) return check(attributes);
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
      check(attributes);
    },
    // Again when everything is as it will be stored: a webhook may have named another account.
    validate: check,
  };
}
