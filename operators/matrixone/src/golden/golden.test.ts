import type { ConfigMap, KubeObject, Service } from '@coxswain/k8s';
import type { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { describe, expect, test } from 'vitest';
import { type LogSet, logSetNames, type MatrixOneCluster } from '../api/index.ts';
import { cnGroupsOf, cnSetOf, credentialOf, dnSetOf, logSetOf, proxySetOf } from '../children/index.ts';
import { chooseBootstrapMembers, type LogService } from '../config/index.ts';
import {
  chartServiceArgs,
  defaultCNSet,
  defaultCluster,
  defaultDNSet,
  defaultLogSet,
  defaultProxySet,
  initialOperatorVersion,
} from '../defaults/index.ts';
import { type LiveSet, planCNSet, planDNSet, planLogSet, planProxySet } from '../plan/index.ts';
import { decided, sentService, withoutScript } from './test-normalize.ts';
import { Objects, type Recording, recordings } from './test-recording.ts';

interface Plan {
  readonly services: readonly Service[];
  readonly configMaps: readonly ConfigMap[];
  readonly workload: KruiseStatefulSet | CloneSet;
}

/** In legacy mode the name of the ConfigMap depends on the script; a live one in use is kept. */
function liveConfig<W>(recording: Recording, prefix: string): LiveSet<W> {
  const legacy = recording.stored.of('ConfigMap').find(({ metadata }) => /^-[0-9a-f]{7}$/.test(metadata.name.slice(prefix.length)) && metadata.name.startsWith(prefix));
  return legacy ? { configMap: legacy } : {};
}

/** Where upstream had no webhooks it filled nothing in. */
const argsOf = ({ name }: Recording) => ({ ...chartServiceArgs, bare: name.startsWith('nowh') });

/** Plans of every set among `sets`, as the set controllers would make them. */
function plans(recording: Recording, sets: Objects): readonly Plan[] {
  const args = argsOf(recording);
  const log = sets.of('LogSet')[0] as LogSet;
  const key = (object: KubeObject) => ({ namespace: object.metadata.namespace ?? '', name: object.metadata.name });
  const spec = defaultLogSet(log.spec, args);
  const service: LogService = { ...key(log), replicas: spec.replicas };
  const storage = spec.sharedStorage;
  return [
    planLogSet(key(log), spec, chooseBootstrapMembers(spec), [], liveConfig(recording, logSetNames(log.metadata.name).config)),
    ...sets.of('DNSet').map((set) =>
      planDNSet(key(set), defaultDNSet(set.spec, args), storage, service, liveConfig(recording, `${set.metadata.name}-dn-config`)),
    ),
    ...sets.of('CNSet').map((set) =>
      planCNSet(key(set), defaultCNSet(set.spec, args), storage, service, liveConfig(recording, `${set.metadata.name}-cn-config`)),
    ),
    ...sets.of('ProxySet').map((set) =>
      planProxySet(key(set), defaultProxySet(set.spec, args), storage, service, liveConfig(recording, `${set.metadata.name}-proxy-config`)),
    ),
  ];
}

/** The cluster of a recording as admission would have stored it; `absent` and `nowh` ones were stored without. */
function admitted(recording: Recording): MatrixOneCluster | undefined {
  const [cluster] = recording.input.of('MatrixOneCluster');
  if (!cluster || /^(absent|nowh)/.test(recording.name)) return cluster;
  const operatorVersion = initialOperatorVersion(cluster.spec);
  return { ...cluster, spec: defaultCluster({ ...cluster.spec, operatorVersion }, chartServiceArgs) };
}

/** The sets a cluster is made of. */
function children(recording: Recording, cluster: MatrixOneCluster): Objects {
  const args = argsOf(recording);
  const cnSets = cnGroupsOf(cluster.spec).map((group) =>
    cnSetOf(cluster, group, args, recording.stored.find('CNSet', `${cluster.metadata.name}-${group.name}`)),
  );
  const sets = [logSetOf(cluster, args), dnSetOf(cluster, args), ...cnSets, proxySetOf(cluster, args)];
  return new Objects(sets.filter((set) => set !== undefined));
}

/** Every recorded child has its counterpart among ours (the dashboard is no part of this). */
function expectNothingMissing(recording: Recording, made: readonly Plan[]): void {
  const kinds = new Set(['StatefulSet', 'CloneSet', 'ConfigMap', 'Service']);
  const names = (objects: readonly KubeObject[]) => objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`).sort();
  const recorded = [...new Objects([...recording.stored.all, ...recording.sent.all]).all].filter(
    ({ kind = '', metadata }) => kinds.has(kind) && !/-webui/.test(metadata.name) && !/^(bk|rs)/.test(metadata.name),
  );
  const ours = made.flatMap(({ services, configMaps, workload }) => [...services, ...configMaps, workload]);
  expect(new Set(names(ours))).toEqual(new Set([...names(recorded), ...(recording.sent.all.length === 0 ? names(ours) : [])]));
}

/** Upstream gives the bootstrap and gossip maps no labels; ours have those of every child, so that a cache can select. */
function withoutLabels(map: ConfigMap): ConfigMap {
  const { labels: _, ...metadata } = map.metadata;
  return { ...map, metadata };
}

function expectPlans(recording: Recording, made: readonly Plan[]): void {
  expectNothingMissing(recording, made);
  for (const { workload } of made) {
    const { name } = workload.metadata;
    const recorded = recording.sent.find(workload.kind === 'CloneSet' ? 'CloneSet' : 'StatefulSet', name);
    if (recorded) {
      // The pool controller had scaled its set after it was created.
      const spec = recording.name === 'pool' ? { ...workload.spec, replicas: recorded.spec.replicas } : workload.spec;
      const ours: KruiseStatefulSet | CloneSet = { ...workload, spec } as KruiseStatefulSet | CloneSet;
      expect(decided(ours), `workload ${name}`).toEqual(decided(recorded));
    }
  }
  for (const map of made.flatMap(({ configMaps }) => configMaps)) {
    const recorded = recording.stored.get('ConfigMap', map.metadata.name);
    const ours = recorded.metadata.labels ? map : withoutLabels(map);
    expect(decided(withoutScript(ours)), `map ${map.metadata.name}`).toEqual(decided(withoutScript(recorded)));
  }
  for (const service of made.flatMap(({ services }) => services)) {
    const recorded = recording.stored.get('Service', service.metadata.name);
    expect(decided(sentService(service)), `service ${service.metadata.name}`).toEqual(decided(sentService(recorded)));
  }
}

/** A set without what only its controller writes, and without `deps`, which upstream fills with zero values. */
function specOf(set: KubeObject): unknown {
  const { annotations: _, ...metadata } = set.metadata;
  return decided({ ...set, metadata, status: {}, deps: undefined } as KubeObject);
}

const fromClusters = recordings().flatMap((recording) => {
  const cluster = admitted(recording);
  return cluster ? [{ name: recording.name, recording, cluster }] : [];
});

describe.each(fromClusters)('$name, from the cluster', ({ recording, cluster }) => {
  test('its sets are those of upstream', () => {
    for (const set of children(recording, cluster).all) {
      const { name } = set.metadata;
      const recorded = recording.stored.all.find(({ kind, metadata }) => kind === set.kind && metadata.name === name);
      expect(specOf(set), `${set.kind} ${name}`).toEqual(recorded && specOf(recorded));
    }
  });

  test('workloads, configurations and services to the byte [case 16, 26, 31]', () => {
    expectPlans(recording, plans(recording, children(recording, cluster)));
  });

  test('the first user [case 33]', () => {
    const recorded = recording.stored.get('Secret', `${cluster.metadata.name}-credential`);
    const encoded = Object.entries(recorded.data ?? {}).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
    const { name } = recorded.metadata;
    expect(credentialOf(cluster)).toMatchObject({ metadata: { name }, data: Object.fromEntries(encoded) });
  });
});

test.each(recordings())('$name: a live cluster is taken over without a change', (recording) => {
  expectPlans(recording, plans(recording, recording.stored));
});
