import { expect, test } from 'vitest';
import type { LogSetSpec } from '../api/index.ts';
import { chartServiceArgs, defaultCNSet } from '../defaults/index.ts';
import { shortDigest } from '../identity/index.ts';
import {
  bootstrapToml,
  chooseBootstrapMembers,
  cnSetToml,
  dnSetToml,
  gossipToml,
  legacyDigest,
  logSetToml,
  parseBootstrapMembers,
  renderConfig,
} from './index.ts';

const storage = {
  s3: {
    type: 'minio',
    path: 'lake/prod',
    endpoint: 'http://minio.prod:9000',
    certificateRef: { name: 'ca', files: ['ca.pem'] },
  },
} as const;
const log = { name: 'mo', namespace: 'prod', replicas: 3 };

test('the worked example: 965 bytes, suffix a8899ca [case 22]', () => {
  const spec = defaultCNSet(
    {
      replicas: 2,
      image: 'matrixorigin/matrixone:v2.1.0',
      resources: { requests: { memory: '8Gi' } },
      cacheVolume: { size: '100Gi' },
      scalingConfig: { storeDrainEnabled: true },
      exportToPrometheus: true,
      config:
        '[log]\nlevel = "info"\n[cn.frontend]\nproxy-enabled = true\n[[fileservice]]\nname = "S3"\n[fileservice.s3]\nparallel-mode = "1"\n',
      serviceType: 'ClusterIP',
    },
    chartServiceArgs,
  );
  const toml = cnSetToml(spec, storage, log);
  expect(Buffer.byteLength(toml)).toBe(965);
  expect(shortDigest(toml)).toBe('a8899ca');
});

test('stores that are reserved after a failover are neither seeds nor service addresses', () => {
  const failedOver = { ...log, reserveOrdinals: [1] };
  const host = (ordinal: number) => `mo-log-${ordinal}.mo-log-headless.prod.svc`;
  expect(gossipToml(failedOver)).toBe(
    `\n[logservice]\ngossip-seed-addresses = [${[0, 2, 3].map((ordinal) => `"${host(ordinal)}:32002"`).join(', ')}]\n`,
  );
  const dn = dnSetToml({ replicas: 1, image: 'mo:1.2.3' }, storage, failedOver);
  expect(dn).toContain(`service-addresses = [${[0, 2, 3].map((ordinal) => `"${host(ordinal)}:32001"`).join(', ')}]`);
});

test('a user’s [tn] table names the transaction node’s table', () => {
  const dn = dnSetToml({ replicas: 1, image: 'mo:2.0.0', config: '[tn]\nx = 1' }, storage, log);
  expect(dn).toContain('[tn.LogtailServer]');
  expect(dn).not.toContain('[dn');
});

test('a path without prefix, a shared file system, and no cache [case 22]', () => {
  const spec: LogSetSpec = { replicas: 1, volume: { size: '1Gi' }, sharedStorage: { s3: { path: '/bucket/' } } };
  expect(logSetToml(spec, log)).toContain(
    'bucket = "bucket"\nendpoint = "s3.us-west-2.amazonaws.com"\nkey-prefix = "data"',
  );
  expect(logSetToml(spec, log)).toContain('gossip-allow-self-as-seed = true');
  const shared = logSetToml({ ...spec, replicas: 3, sharedStorage: { fileSystem: { path: '/shared' } } }, log);
  expect(shared).toContain('[[fileservice]]\nbackend = "DISK-ETL"\ndata-dir = "/shared"\nname = "ETL"');
  expect(shared).not.toContain('gossip-allow-self-as-seed');
});

test('slashes around the bucket and around the prefix do not count', () => {
  const prefixOf = (path: string) => {
    const toml = cnSetToml({ replicas: 1, serviceType: 'ClusterIP' }, { s3: { path } }, log);
    return [/bucket = "(.*)"/.exec(toml)?.[1], /key-prefix = "(.*)"/.exec(toml)?.[1]];
  };
  expect(prefixOf('//b//c//')).toEqual(['b', 'c/data']);
  expect(prefixOf('b//x//y/')).toEqual(['b', 'x//y/data']);
  expect(prefixOf('/b/')).toEqual(['b', 'data']);
});

test('a restoring log store has the backup as its only file service', () => {
  const toml = logSetToml(
    { replicas: 3, volume: { size: '1Gi' }, sharedStorage: storage, initialConfig: { restoreFrom: 'hk_data' } },
    log,
  );
  expect(toml.match(/\[\[fileservice\]\]/g)).toHaveLength(1);
  expect(toml).toContain('key-prefix = "prod/"');
});

test('bootstrap members are chosen once and read back, and what is not set is not written [case 7]', () => {
  const members = chooseBootstrapMembers({ initialConfig: { logShardReplicas: 3 } });
  expect(parseBootstrapMembers(JSON.stringify(members))).toEqual(members);
  expect(bootstrapToml({ initialConfig: { logShardReplicas: 3, restoreFrom: 'hk' } }, members)).toBe(
    '\n[logservice]\n\n[logservice.BootstrapConfig]\nbootstrap-cluster = true\ninit-hakeeper-members = ["131072:00000000-0000-0000-0000-000000000000", "131073:00000000-0000-0000-0000-000000000001", "131074:00000000-0000-0000-0000-000000000002"]\nnum-of-dn-shards = 1\nnum-of-log-shard-replicas = 3\nnum-of-log-shards = 1\n\n[logservice.BootstrapConfig.restore]\nfile-path = "BACKUP://hk"\n',
  );
  expect(bootstrapToml({ initialConfig: { logShardReplicas: 3 } }, members)).not.toContain('restore');
  expect(() => parseBootstrapMembers('{"ordinal":1}')).toThrow('not a list');
});

test('legacy names digest everything, in Go’s spelling [case 21]', () => {
  expect(legacyDigest({ 'start.sh': 'a<b && c>d\n', 'config.toml': 'x = "1"\n' })).toBe('5a04a16');
});

const role = { name: 'mo-dn-config', key: 'config.toml', toml: 'x = 2\n', script: 'exit\n' };
const map = (name: string, data: Record<string, string>) => ({ metadata: { name }, data });

test('in place, earlier keys stay while a pod runs on them', () => {
  const old = 'x = 1\n';
  const data = { 'start.sh': 'old', [`config.toml-${shortDigest(old)}`]: old, 'config.toml-0000000': 'not a digest' };
  const spec = { operatorVersion: '1.3.0' };
  const suffix = shortDigest(role.toml);
  const used = renderConfig(spec, role, { map: map('mo-dn-config', data), suffixes: new Set([shortDigest(old)]) });
  expect(used).toEqual({
    name: 'mo-dn-config',
    suffix,
    data: { 'start.sh': 'exit\n', [`config.toml-${shortDigest(old)}`]: old, [`config.toml-${suffix}`]: role.toml },
  });
  const unused = renderConfig(spec, role, { map: map('mo-dn-config', data), suffixes: new Set([suffix]) });
  expect(Object.keys(unused.data).sort()).toEqual([`config.toml-${suffix}`, 'start.sh']);
});

test('in legacy mode a new script alone keeps the map in use; new TOML makes a new map', () => {
  const live = map('mo-dn-config-1234567', { 'config.toml': role.toml, 'start.sh': 'old' });
  expect(renderConfig({}, role, { map: live })).toEqual({ name: live.metadata.name, data: live.data });
  const changed = renderConfig({}, { ...role, toml: 'x = 3\n' }, { map: live });
  expect(changed.name).toMatch(/^mo-dn-config-[0-9a-f]{7}$/);
  expect(changed.name).not.toBe(live.metadata.name);
});
