import { describe, expect, it } from 'vitest';
import { defineResource, defineVersions, s } from '../index.ts';

const good = {
  group: 'cache.example.com',
  version: 'v1',
  kind: 'RedisCluster',
  plural: 'redisclusters',
  scope: 'Namespaced',
  spec: s.object({ size: s.int32() }),
} as const;
const column = { name: 'Phase', type: 'string', jsonPath: '.status.phase' };

describe('defineResource', () => {
  it.each([
    ['kind', ['redisCluster', 'Redis_Cluster', 'Redis-Cluster', '', `R${'a'.repeat(63)}`, undefined, 3]],
    ['group', ['', 'example', 'Example.com', 'example_.com', '.com', 'a..b', `${'a.'.repeat(127)}com`, undefined]],
    ['version', ['1', 'V1', 'v0', 'v1rc1', 'v1beta', 'v1.2', 'latest', undefined]],
    ['plural', ['RedisClusters', 'redis_clusters', '1s', '-a', 'a'.repeat(64), '', undefined]],
    ['singular', ['RedisCluster', '']],
    ['listKind', ['redisClusterList', 'RedisCluster']],
    ['shortNames', [['RC'], ['rc', 'rc'], ['r c'], 'rc', [3]]],
    ['categories', [['All'], 'all', ['a_b']]],
    ['scope', ['namespaced', 'Cluster ', undefined]],
    ['printColumns', [[{ ...column, name: '' }]]],
  ])('refuses wrong values of %s', (field, values) => {
    for (const value of values) {
      expect(() => defineResource({ ...good, [field]: value } as never)).toThrow(
        new RegExp(`^defineResource .*: ${field} is `),
      );
    }
  });

  it.each([
    [{ shortName: ['rc'] }, 'unknown field `shortName` in definition'],
    [{ printerColumns: [] }, 'unknown field `printerColumns` in definition'],
    [{ printColumns: [{ ...column, jsonpath: '.a' }] }, 'unknown field `jsonpath` in printColumns'],
    [{ printColumns: [{ ...column, type: 'text' }] }, 'type of column Phase is "text"'],
    [{ printColumns: [{ ...column, jsonPath: 'status.phase' }] }, 'jsonPath of column Phase is "status.phase"'],
    [{ subresources: { Status: true } }, 'unknown field `Status` in subresources'],
    [{ subresources: { scale: { specPath: '.spec.size' } } }, 'unknown field `specPath` in subresources.scale'],
    [{ subresources: { scale: { specReplicasPath: 'spec.size' } } }, 'specReplicasPath is "spec.size"'],
    [{ selectableFields: ['spec.size'] }, 'selectableFields is "spec.size"'],
    [{ metadata: { name: 'x' } }, 'unknown field `name` in metadata'],
    [{ metadata: null }, 'metadata is null'],
  ])('refuses %j', (more, message) => {
    expect(() => defineResource({ ...good, ...more } as never)).toThrow(message);
  });

  it('takes all that a server takes', () => {
    const { group, version } = defineResource({
      ...good,
      version: 'v2alpha10',
      shortNames: ['rc', 'r-c'],
      categories: ['all'],
      singular: 'rediscluster',
      listKind: 'RedisClusters',
      uncheckedPaths: true,
      printColumns: [{ ...column, type: 'string' }],
    });
    expect([group, version]).toEqual(['cache.example.com', 'v2alpha10']);
  });

  it('is as strict about each of several versions', () => {
    const { version: _, spec, ...names } = good;
    const versions = { v1: { spec }, v1beta1: { spec, servd: false } };
    expect(() => defineVersions({ ...names, storage: 'v1', versions })).toThrow('unknown field `servd`');
    expect(() => defineVersions({ ...names, storage: 'one' as never, versions: { one: { spec } } as never })).toThrow(
      'version is "one"',
    );
  });
});
