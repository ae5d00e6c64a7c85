import { describe, expect, test } from 'vitest';
import type { CNSetSpec } from '../api/index.ts';
import { getPath, parseToml } from '../toml/index.ts';
import { cnSetToml, dnSetToml, gossipSeeds, renderConfig, serviceAddresses } from './index.ts';

const log = { name: 'test', namespace: 'default', replicas: 3 };
const storage = { s3: { path: 'bucket/prefix' } };
const host = (ordinal: number, port: number) => `test-log-${ordinal}.test-log-headless.default.svc:${port}`;

test.each([
  ['nothing is reserved', [], [0, 1, 2]],
  ['a store was replaced', [1], [0, 2, 3]],
  ['two were', [0, 1], [2, 3, 4]],
  ['what is reserved is beyond the stores', [7], [0, 1, 2]],
] as const)('the log stores that others are told of: %s [case 27, 28]', (_, reserveOrdinals, ordinals) => {
  const service = { ...log, reserveOrdinals };
  expect(gossipSeeds(service)).toEqual(ordinals.map((ordinal) => host(ordinal, 32002)));
  expect(serviceAddresses(service)).toEqual(ordinals.map((ordinal) => host(ordinal, 32001)));
});

describe('what a compute node is told', () => {
  const spec: CNSetSpec = { replicas: 1, image: 'mo:1.2.3', role: 'TP', serviceType: 'ClusterIP' };
  const told = (more: Partial<CNSetSpec> = {}, service: object = {}) =>
    cnSetToml({ ...spec, ...more }, storage, { ...log, ...service });

  test('all of it, by default [case 19]', () => {
    expect(told()).toBe(`data-dir = "/var/lib/matrixone/data"
service-type = "CN"

[cn]
port-base = 6002
role = "TP"

[cn.lockservice]
listen-address = "0.0.0.0:6003"

[[fileservice]]
backend = "DISK"
data-dir = "/var/lib/matrixone/data"
name = "LOCAL"

[[fileservice]]
backend = "S3"
name = "S3"

[fileservice.s3]
bucket = "bucket"
endpoint = "s3.us-west-2.amazonaws.com"
key-prefix = "prefix/data"

[[fileservice]]
backend = "S3"
name = "ETL"

[fileservice.cache]
memory-capacity = "1B"

[fileservice.s3]
bucket = "bucket"
endpoint = "s3.us-west-2.amazonaws.com"
key-prefix = "prefix/etl"

[hakeeper-client]
service-addresses = ["${host(0, 32001)}", "${host(1, 32001)}", "${host(2, 32001)}"]
`);
  });

  test('a node that will be drained begins out of service [case 19]', () => {
    const drained = told({ scalingConfig: { storeDrainEnabled: true } });
    expect(getPath(parseToml(drained), ['cn', 'init-work-state'])).toBe('Draining');
    expect(drained.replace('init-work-state = "Draining"\n', '')).toBe(told());
  });

  test('with older behaviours it is one file, without a suffix [case 19]', () => {
    const role = { name: 'mo-cn-config', key: 'config.toml', toml: told(), script: 'exit\n' };
    expect(renderConfig({}, role, {}).data).toEqual({ 'config.toml': role.toml, 'start.sh': role.script });
    expect(Object.keys(renderConfig({ operatorVersion: '1.3.0' }, role, {}).data).sort()).toEqual([
      expect.stringMatching(/^config\.toml-[0-9a-f]{7}$/),
      'start.sh',
    ]);
  });

  test('a log store that was replaced is not among those it may ask [case 19]', () => {
    const config = parseToml(told({}, { reserveOrdinals: [1] }));
    expect(getPath(config, ['hakeeper-client', 'service-addresses'])).toEqual([0, 2, 3].map((n) => host(n, 32001)));
  });
});

describe('what a transaction node is told', () => {
  const told = (image: string, config = '', reserveOrdinals: readonly number[] = []) =>
    parseToml(dnSetToml({ replicas: 1, image, config }, storage, { ...log, reserveOrdinals }));
  const ports = {
    'listen-address': '0.0.0.0:41010',
    'port-base': 41010n,
    lockservice: { 'listen-address': '0.0.0.0:6003' },
    LogtailServer: { 'listen-address': '0.0.0.0:32003' },
  };

  test('its table is [dn], and [tn] where the user says so, with what is in it [case 26]', () => {
    expect(told('mo:1.2.3')).toMatchObject({ 'service-type': 'DN', dn: ports });
    const own = told('mo:1.2.3', '[tn]\nown = 1\nport-base = 1\n');
    expect(own.tn).toEqual({ ...ports, own: 1n });
    expect(own).not.toHaveProperty('dn');
  });

  test('whom it asks: discovery since 2.0.0, else every log store but those that were replaced [case 26]', () => {
    expect(told('mo:2.0.0')['hakeeper-client']).toEqual({
      'discovery-address': 'test-log-discovery.default.svc:32001',
    });
    expect(told('mo:1.2.3')['hakeeper-client']).toEqual({ 'service-addresses': [0, 1, 2].map((n) => host(n, 32001)) });
    expect(told('mo:1.2.3', '', [0])['hakeeper-client']).toEqual({
      'service-addresses': [1, 2, 3].map((n) => host(n, 32001)),
    });
  });
});
