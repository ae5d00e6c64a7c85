import type { Secret } from '@coxswain/k8s';
import { credentialName, type MatrixOneCluster } from '../api/index.ts';

const encode = (text: string) => Buffer.from(text).toString('base64');

/** The first user of a fresh cluster. Written once: a password that was changed stays changed. */
export function credentialOf(cluster: MatrixOneCluster): Secret {
  const { name, namespace = '' } = cluster.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: credentialName(name), namespace },
    type: 'Opaque',
    data: { username: encode('dump'), password: encode('111') },
  };
}
