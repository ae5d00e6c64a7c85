import { CustomResourceDefinition } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import { ApiError } from '@coxswain/runtime/core';
import { type CrdCase, crdOfCase } from '@coxswain/schema/test';

/**
 * What the server says against a definition, each as `field: message`; empty when it takes it. Nothing is created.
 * A server speaks of the only version of a kind as if it were shared by all; here it is `spec.versions[0]`.
 */
export async function askCrd(client: Client, one: CrdCase, group: string): Promise<readonly string[]> {
  try {
    await client.of(CustomResourceDefinition).create(crdOfCase(one, group), { dryRun: true });
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || !error.details?.causes) throw error;
    const said = error.details.causes.map(({ field = '', message = '' }) => ofVersion(`${field}: ${message}`));
    return [...new Set(said)].sort();
  }
}

function ofVersion(said: string): string {
  return said
    .replaceAll('spec.validation.', 'spec.versions[0].schema.')
    .replace(/^spec\.(subresources|additionalPrinterColumns|selectableFields)/, 'spec.versions[0].$1');
}
