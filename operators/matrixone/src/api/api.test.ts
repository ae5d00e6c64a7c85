import type { KubeObject } from '@coxswain/k8s';
import type { SchemaNode } from '@coxswain/schema';
import { checkCrd } from '@coxswain/schema/check';
import { describe, expect, test } from 'vitest';
import { recordings } from '../golden/test-recording.ts';
import {
  Backup,
  BackupJob,
  BucketClaim,
  CNClaim,
  CNClaimSet,
  CNPool,
  CNSet,
  DNSet,
  LogSet,
  MatrixOneCluster,
  RestoreJob,
  resources,
  WebUI,
} from './index.ts';

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
    ['BackupJob', 'backupjobs', undefined, 'Namespaced', ['phase', 'Backup', 'Age'], ['status']],
    ['Backup', 'backups', undefined, 'Cluster', ['ID', 'At', 'Source'], []],
    ['RestoreJob', 'restorejobs', undefined, 'Namespaced', ['phase', 'Age'], ['status']],
    ['CNPool', 'cnpools', undefined, 'Namespaced', ['Age'], ['status']],
    ['CNClaim', 'cnclaims', undefined, 'Namespaced', ['Pod', 'Phase', 'Age'], ['status']],
    ['CNClaimSet', 'cnclaimsets', undefined, 'Namespaced', ['Replicas', 'Age'], ['scale', 'status']],
  ]);
});

/** Paths of what a user writes that say nothing of what they are; types of Kubernetes, which have no descriptions here, are left out. */
function undescribed(node: SchemaNode, path: string): string[] {
  const inner = Object.entries(node.properties ?? {}).flatMap(([name, property]) => {
    const at = `${path}.${name}`;
    if (name === 'resources' || name === 'overlay' || name === 'selector') return property.description ? [] : [at];
    return [...(property.description ? [] : [at]), ...undescribed(property, at)];
  });
  return node.items && typeof node.items === 'object'
    ? [...inner, ...undescribed(node.items as SchemaNode, path)]
    : inner;
}

test('kubectl explain says what each kind is, and each field that is written', () => {
  const silent = resources.flatMap((resource) => {
    const { kind } = resource.crd().spec.names;
    const schema = version(resource)?.schema?.openAPIV3Schema as SchemaNode;
    const parts = ['spec', 'deps', 'meta'].flatMap((part) => {
      const node = schema.properties?.[part];
      return node ? undescribed(node, `${kind}.${part}`) : [];
    });
    return [...(schema.description ? [] : [kind]), ...parts];
  });
  expect(silent).toEqual([]);
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
  expect(required(BucketClaim)).toEqual({ root: ['spec'], spec: ['s3', 'logSetSpec'] });
  expect(required(BackupJob)).toEqual({ root: ['spec'], spec: ['source', 'target'] });
  expect(required(Backup)).toEqual({ root: ['meta'], spec: undefined });
  expect(required(RestoreJob)).toEqual({ root: ['spec'], spec: ['target'] });
  expect(required(CNPool)).toEqual({ root: ['spec'], spec: ['template', 'deps', 'strategy'] });
  expect(required(CNClaim)).toEqual({ root: undefined, spec: ['selector'] });
  expect(required(CNClaimSet)).toEqual({ root: undefined, spec: ['replicas', 'template'] });
});

test('what the server fills in: nothing but service types and the pull policy of jobs', () => {
  const defaults = (node: SchemaNode | undefined, path: string): readonly string[] => [
    ...(node?.default === undefined ? [] : [`${path}=${JSON.stringify(node.default)}`]),
    ...Object.entries(node?.properties ?? {}).flatMap(([name, child]) => defaults(child, `${path}.${name}`)),
    ...(node?.items ? defaults(node.items, `${path}[]`) : []),
  ];
  const of = (resource: (typeof resources)[number]) =>
    defaults(resource.schema, '').filter((at) => !/protocol/.test(at));
  expect(of(CNSet)).toEqual(['.spec.serviceType="ClusterIP"']);
  expect(of(BackupJob)).toEqual(['.spec.overlay.imagePullPolicy="IfNotPresent"']);
  expect(of(RestoreJob)).toEqual(['.overlay.imagePullPolicy="IfNotPresent"']);
  expect(of(CNPool)).toEqual(['.spec.template.serviceType="ClusterIP"']);
  for (const resource of [LogSet, DNSet, BucketClaim, Backup, CNClaim, CNClaimSet]) expect(of(resource)).toEqual([]);
});

test('a server takes every CRD: its rules are not too expensive', () => {
  for (const resource of resources) expect(checkCrd(resource.crd()), resource.kind).toEqual([]);
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
