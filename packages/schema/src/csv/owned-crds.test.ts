import { expect, test } from 'vitest';
import { defineResource, s } from '../index.ts';
import { ownedCrds } from './index.ts';

const definition = {
  group: 'cache.example.com',
  version: 'v1alpha1',
  kind: 'MemcachedCluster',
  plural: 'memcachedclusters',
  scope: 'Namespaced',
} as const;
const Memcached = defineResource({
  ...definition,
  description: 'Many memcacheds.',
  csv: { displayName: 'Memcached', resources: [{ kind: 'Deployment', version: 'v1' }] },
  spec: s.object({
    image: s.string().optional(),
    size: s
      .int32()
      .min(0)
      .describe('How many pods.')
      .ui({ descriptors: ['podCount'], order: 1 }),
    tls: s
      .object({
        secretName: s
          .string()
          .optional()
          .ui({ displayName: 'Certificate', descriptors: ['io.kubernetes:Secret', 'urn:x:y'] }),
        minTLSVersion: s.string().optional(),
      })
      .optional(),
    rules: s.list(s.object({ host: s.string().ui({ description: 'Who asks.' }) })).optional(),
  }),
  status: s.object({ readyNodes: s.list(s.string()).optional() }),
});

test('kinds as a ClusterServiceVersion lists them: each field of spec and status, deeper ones where they say so', () => {
  expect(ownedCrds([Memcached])).toEqual([
    {
      name: 'memcachedclusters.cache.example.com',
      version: 'v1alpha1',
      kind: 'MemcachedCluster',
      displayName: 'Memcached',
      description: 'Many memcacheds.',
      resources: [{ kind: 'Deployment', version: 'v1' }],
      specDescriptors: [
        {
          path: 'size',
          displayName: 'Size',
          description: 'How many pods.',
          'x-descriptors': ['urn:alm:descriptor:com.tectonic.ui:podCount'],
        },
        { path: 'image', displayName: 'Image' },
        { path: 'tls', displayName: 'Tls' },
        {
          path: 'tls.secretName',
          displayName: 'Certificate',
          'x-descriptors': ['urn:alm:descriptor:io.kubernetes:Secret', 'urn:x:y'],
        },
        { path: 'rules', displayName: 'Rules' },
        { path: 'rules[0].host', displayName: 'Host', description: 'Who asks.' },
      ],
      statusDescriptors: [{ path: 'readyNodes', displayName: 'Ready Nodes' }],
    },
  ]);
});

test('kinds come in their order, with names in words', () => {
  const named = (kind: string, order?: number) =>
    defineResource({ ...definition, kind, plural: `${kind.toLowerCase()}s`, ...(order ? { csv: { order } } : {}) });
  const owned = ownedCrds([named('HTTPRoute'), named('BackupJob', 2), named('A1Thing', 1)]);
  expect(owned.map(({ displayName }) => displayName)).toEqual(['A1 Thing', 'Backup Job', 'HTTP Route']);
});

test('hints go into no CRD and last through every other word', () => {
  expect(JSON.stringify(Memcached.crd())).not.toMatch(/podCount|Certificate|displayName/);
  const size = s.int32().ui({ displayName: 'N' }).min(1).default(3).describe('x');
  const Other = defineResource({ ...definition, spec: s.object({ size }) });
  expect(ownedCrds([Other])[0]?.specDescriptors).toEqual([{ path: 'size', displayName: 'N', description: 'x' }]);
});

test('what nobody reads in csv is refused', () => {
  expect(() => defineResource({ ...definition, csv: { dispayName: 'x' } as never })).toThrow(/dispayName.*in csv/);
});
