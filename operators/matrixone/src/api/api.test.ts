import type { KubeObject } from '@coxswain/k8s';
import { describe, expect, test } from 'vitest';
import { recordings } from '../golden/test-recording.ts';
import { BucketClaim, CNSet, DNSet, LogSet, MatrixOneCluster, ProxySet, WebUI } from './index.ts';

const resources = [MatrixOneCluster, LogSet, DNSet, CNSet, ProxySet, WebUI, BucketClaim] as const;
const version = (resource: (typeof resources)[number]) => resource.crd().spec.versions[0];

test('the CRDs have the names, columns and subresources that users know', () => {
  const table = resources.map((resource) => {
    const { names, scope } = resource.crd().spec;
    const columns = version(resource)?.additionalPrinterColumns?.map(({ name }) => name);
    return [
      names.kind,
      names.plural,
      names.shortNames,
      scope,
      columns,
      Object.keys(version(resource)?.subresources ?? {}).sort(),
    ];
  });
  const set = ['Image', 'Replicas', 'Age'];
  expect(table).toEqual([
    [
      'MatrixOneCluster',
      'matrixoneclusters',
      ['mo'],
      'Namespaced',
      ['Log', 'DN', 'Version', 'Phase', 'Age'],
      ['status'],
    ],
    ['LogSet', 'logsets', undefined, 'Namespaced', set, ['status']],
    ['DNSet', 'dnsets', undefined, 'Namespaced', set, ['status']],
    ['CNSet', 'cnsets', undefined, 'Namespaced', set, ['scale', 'status']],
    ['ProxySet', 'proxysets', undefined, 'Namespaced', set, ['status']],
    ['WebUI', 'webuis', undefined, 'Namespaced', set, ['status']],
    ['BucketClaim', 'bucketclaims', ['bucket'], 'Namespaced', ['Status', 'Bind', 'Age'], []],
  ]);
});

test('what a spec must have', () => {
  const required = (resource: (typeof resources)[number]) => {
    const schema = version(resource)?.schema?.openAPIV3Schema;
    return { root: schema?.required, spec: schema?.properties?.spec?.required };
  };
  expect(required(MatrixOneCluster)).toEqual({ root: ['spec'], spec: ['logService', 'version'] });
  expect(required(LogSet)).toEqual({ root: ['spec'], spec: ['replicas', 'volume', 'sharedStorage'] });
  expect(required(CNSet)).toEqual({ root: ['spec'], spec: ['replicas'] });
  expect(required(WebUI).root).toBeUndefined();
});

/** Without what the recordings leave out or replace. */
function recordable({ status: _, ...object }: KubeObject & { readonly status?: unknown }): unknown {
  const { ownerReferences: __, ...metadata } = object.metadata;
  return { ...object, metadata };
}

describe.each(recordings())('$name', ({ input, stored }) => {
  test.each(resources.map((resource) => [resource.kind, resource] as const))(
    'every recorded %s is accepted',
    (kind, resource) => {
      for (const object of [...input.all, ...stored.all].filter((candidate) => candidate.kind === kind)) {
        expect(resource.validate(recordable(object)), object.metadata.name).toEqual([]);
      }
    },
  );
});
