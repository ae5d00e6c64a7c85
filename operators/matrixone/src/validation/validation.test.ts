import { expect, test } from 'vitest';
import type { CNSetSpec, LogSetSpec, MatrixOneCluster, ObjectDependency } from '../api/index.ts';
import { chartServiceArgs as args, defaultCluster, defaultLogSet } from '../defaults/index.ts';
import {
  clusterProblems,
  cnSetProblems,
  dnSetProblems,
  logSetProblems,
  proxySetProblems,
  setNameProblems,
  webUIProblems,
} from './index.ts';

const log: LogSetSpec = {
  replicas: 3,
  image: 'mo:2.1.0',
  volume: { size: '10Gi' },
  sharedStorage: { s3: { path: 'bucket/x' } },
};
const deps = { logSet: { metadata: { name: 'mo' } }, dnSet: { metadata: { name: 'mo' } } };
const fieldsOf = (problems: readonly { field: string }[]) => problems.map(({ field }) => field);
const logFields = (change: Partial<LogSetSpec>) =>
  fieldsOf(logSetProblems({ spec: defaultLogSet({ ...log, ...change }, args) }));

test('a plain LogSet is fine; scaling to zero is allowed [case 42]', () => {
  expect(logFields({})).toEqual([]);
  expect(logFields({ replicas: 0, initialConfig: { logShardReplicas: 3 } })).toEqual([]);
});

test.each<[string, Partial<LogSetSpec>, string]>([
  ['no image', { image: '' }, 'spec.image'],
  ['a tag that is no version', { image: 'mo:nightly' }, 'spec.semanticVersion'],
  ['a volume of nothing', { volume: { size: '0' } }, 'spec.volume.size'],
  ['no storage', { sharedStorage: {} }, 'spec.sharedStorage'],
  ['two storages', { sharedStorage: { s3: { path: 'b' }, fileSystem: { path: '/x' } } }, 'spec.sharedStorage'],
  ['a path of slashes', { sharedStorage: { s3: { path: '//' } } }, 'spec.sharedStorage'],
  [
    'more shard replicas than stores',
    { initialConfig: { logShardReplicas: 5 } },
    'spec.initialConfig.logShardReplicas',
  ],
  ['a duration without unit', { storeFailureTimeout: '10' }, 'spec.storeFailureTimeout'],
  ['broken TOML', { config: 'a = ' }, 'spec.config'],
  ['a percentage above 100', { memoryLimitPercent: 101 }, 'spec.memoryLimitPercent'],
  [
    'requests above limits',
    { resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } },
    'spec.resources.requests.cpu',
  ],
  ['an unknown scheme', { exportToPrometheus: true, promDiscoveryScheme: 'Push' }, 'spec.promDiscoveryScheme'],
])('a LogSet with %s is refused [case 43]', (_, change, field) => {
  expect(new Set(logFields(change))).toContain(field);
});

test('broken TOML is reported once, with its place', () => {
  const problems = logSetProblems({ spec: defaultLogSet({ ...log, config: 'x = 1\ny = ' }, args) });
  expect(problems).toHaveLength(1);
  expect(problems[0]?.message).toMatch(/^line 2, column \d+/);
});

test('a DNSet needs a log service and one name for its table [case 39]', () => {
  const spec = { replicas: 1, image: 'mo:2.1.0', config: '[tn]\n[dn]\n' };
  expect(fieldsOf(dnSetProblems({ spec }))).toEqual(['spec.config', 'deps']);
  expect(
    fieldsOf(
      dnSetProblems({
        spec: { replicas: 1, image: 'mo:2.1.0' },
        deps: { externalLogSet: { haKeeperEndpoint: 'x:1' } },
      }),
    ),
  ).toEqual(['spec.config']);
});

test('a log service known by its address needs the storage in the configuration, and no sets of ours', () => {
  const config = '[[fileservice]]\nname = "S3"\n[[fileservice]]\nname = "ETL"\n';
  const spec: CNSetSpec = { replicas: 1, image: 'mo:2.1.0', serviceType: 'ClusterIP', config };
  const problems = (haKeeperEndpoint: string, more: object = {}) =>
    fieldsOf(cnSetProblems({ spec: { ...spec, ...more }, deps: { externalLogSet: { haKeeperEndpoint } } }));
  expect(problems('hakeeper.example.com:32001')).toEqual([]);
  expect(problems('[fd00::1]:32001')).toEqual([]);
  expect(problems('http://x:1')).toEqual(['deps.externalLogSet.haKeeperEndpoint']);
  expect(problems('x:1', { config: '' })).toEqual(['spec.config']);
  const both = { ...deps, externalLogSet: { haKeeperEndpoint: 'x:1' } };
  expect(fieldsOf(cnSetProblems({ spec, deps: both }))).toEqual(['deps']);
});

test('CN labels must say something, and node ports need a type [case 38]', () => {
  const spec: CNSetSpec = {
    replicas: 1,
    image: 'mo:2.1.0',
    serviceType: 'ClusterIP',
    nodePort: 31000,
    cnLabels: [{ key: '', values: [''] }, { key: 'a' }],
  };
  expect(fieldsOf(cnSetProblems({ spec, deps }))).toEqual([
    'spec.nodePort',
    'spec.cnLabels[0].key',
    'spec.cnLabels[0].values[0]',
    'spec.cnLabels[1].values',
  ]);
  const proxy = { replicas: 1, image: 'mo:x', serviceType: 'ClusterIP', waitPluginAddr: 'a b' } as const;
  expect(fieldsOf(proxySetProblems({ spec: proxy, deps }))).toEqual(['spec.waitPluginAddr']);
});

const cluster = (change: Partial<MatrixOneCluster['spec']>, name = 'mo') => {
  const spec = { version: '2.1.0', logService: { ...log, image: '' }, tn: { replicas: 1 }, ...change };
  return clusterProblems({ metadata: { name }, spec: defaultCluster(spec, args) });
};
const group = (name: string) => ({ name, replicas: 1, serviceType: 'ClusterIP' }) as const;

test('a cluster is judged with its sets, under their paths [case 43, 44, 45, 46]', () => {
  expect(cluster({ cnGroups: [group('tp')] })).toEqual([]);
  const logService = (change: object) => fieldsOf(cluster({ logService: { ...log, ...change } }));
  expect(logService({ volume: { size: '0' } })).toEqual(['spec.logService.volume.size']);
  expect(logService({ sharedStorage: {} })).toEqual(['spec.logService.sharedStorage']);
  expect(logService({ replicas: 2, initialConfig: { logShardReplicas: 3 } })).toEqual([
    'spec.logService.initialConfig.logShardReplicas',
  ]);
  const bad = ['a b', 'a/b', 'a_b', 'a.b'];
  expect(fieldsOf(cluster({ cnGroups: bad.map(group) }))).toEqual(bad.map((_, i) => `spec.cnGroups[${i}].name`));
  expect(fieldsOf(cluster({ cnGroups: [group('x'), group('x')] }))).toEqual(['spec.cnGroups[1].name']);
  expect(fieldsOf(cluster({ cnGroups: [group('tp')], tp: { replicas: 1, serviceType: 'ClusterIP' } }))).toEqual([
    'spec.cnGroups[0].name',
  ]);
  expect(fieldsOf(cluster({ dn: { replicas: 1 } }))).toEqual(['spec.dn']);
  expect(fieldsOf(cluster({ version: 'nightly' }))).toEqual(['spec.semanticVersion']);
  expect(fieldsOf(cluster({}, '1mo'))).toEqual(['metadata.name']);
  expect(fieldsOf(cluster({}, 'a'.repeat(47)))).toEqual(['metadata.name']);
  expect(cluster({}, 'a'.repeat(46))).toEqual([]);
});

test('a cluster without transaction nodes is told so', () => {
  const spec = defaultCluster({ version: '2.1.0', logService: log }, args);
  expect(clusterProblems({ metadata: { name: 'mo' }, spec })).toEqual([
    { field: 'spec.tn', message: '.spec.tn must be set' },
  ]);
});

test('a set has a name that its Services, containers, and labels of its pods have room for', () => {
  const longest = { LogSet: 48, DNSet: 49, CNSet: 49, ProxySet: 46, WebUI: 54 } as const;
  for (const [kind, length] of Object.entries(longest) as [keyof typeof longest, number][]) {
    expect(setNameProblems(kind, 'a'.repeat(length))).toEqual([]);
    const told = { field: 'metadata.name', message: `must be no more than ${length} characters` };
    expect(setNameProblems(kind, 'a'.repeat(length + 1)), kind).toEqual([told]);
    expect(fieldsOf(setNameProblems(kind, 'a.b'))).toEqual(['metadata.name']);
  }
});

test('a reference that is no text, and an address with a port that is none, name nobody', () => {
  const spec: CNSetSpec = { replicas: 1, image: 'mo:2.1.0', serviceType: 'ClusterIP' };
  const reference = (metadata: object) => ({ metadata }) as ObjectDependency;
  for (const name of [5, {}, ['a']]) {
    const wrong = { logSet: reference({ name }), dnSet: reference({ name: 'mo', namespace: name }) };
    expect(fieldsOf(cnSetProblems({ spec, deps: wrong }))).toEqual([
      'deps.logSet.metadata.name',
      'deps.dnSet.metadata.namespace',
    ]);
    expect(fieldsOf(webUIProblems({ spec, deps: { cnset: reference({ name }) } }))).toEqual([
      'deps.cnset.metadata.name',
    ]);
  }
  const proxy = (waitPluginAddr: string) => fieldsOf(proxySetProblems({ spec: { ...spec, waitPluginAddr }, deps }));
  expect([proxy('a:65535'), proxy('[fd00::1]:1')]).toEqual([[], []]);
  for (const none of ['a:65536', 'a:0']) expect(proxy(none)).toEqual(['spec.waitPluginAddr']);
});
