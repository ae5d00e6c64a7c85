import { ClusterTrustBundle, type ClusterTrustBundleProjection } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import { matchesLabels, selectorFromField } from '@coxswain/runtime/core';
import { VolumeError } from './errors.ts';

const certificate = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** The certificates of the bundles a projection names, each once. @throws VolumeError when there is none and one is needed */
export async function trustAnchors(client: Client, projection: ClusterTrustBundleProjection): Promise<string> {
  const bundles = await bundlesOf(client, projection);
  const anchors = bundles.flatMap(({ spec }) => [...spec.trustBundle.matchAll(certificate)].map(([text]) => text));
  return [...new Set(anchors)].map((text) => `${text}\n`).join('');
}

async function bundlesOf(
  client: Client,
  { name, signerName, labelSelector, optional = false }: ClusterTrustBundleProjection,
): Promise<ClusterTrustBundle[]> {
  const kind = client.of(ClusterTrustBundle);
  if (name !== undefined) {
    const bundle = await kind.find({ name });
    if (bundle) return [bundle];
    if (optional) return [];
    throw new VolumeError(
      `while getting ClusterTrustBundle: clustertrustbundle.certificates.k8s.io "${name}" not found`,
    );
  }
  if (signerName === undefined)
    throw new VolumeError('ClusterTrustBundle projection requires either name or signerName to be set');
  const selector = selectorFromField(labelSelector);
  const found: ClusterTrustBundle[] = [];
  for await (const bundle of kind.listAll())
    if (bundle.spec.signerName === signerName && matchesLabels(selector, bundle.metadata.labels)) found.push(bundle);
  if (found.length === 0 && !optional)
    throw new VolumeError('combination of signerName and labelSelector matched zero ClusterTrustBundles');
  return found;
}
