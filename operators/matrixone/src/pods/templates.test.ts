import { expect, test } from 'vitest';
import type { CNSetSpec, DNSetSpec, LogSetSpec } from '../api/index.ts';
import { cnService, cnSetWorkload, dnSetWorkload, logHeadlessService, logSetWorkload } from './index.ts';

const set = { namespace: 'ns', name: 'x' };
const config = { name: 'x-config', suffix: 'abcdef0', data: {} };
const storage = { s3: { path: 'lake/x', secretRef: { name: 'minio' } } };
const log: LogSetSpec = { replicas: 3, image: 'mo:2.1.0', volume: { size: '10Gi' }, sharedStorage: storage };
const dn: DNSetSpec = { replicas: 1, image: 'mo:2.1.0' };
const cn: CNSetSpec = { replicas: 2, image: 'mo:2.1.0', serviceType: 'ClusterIP' };
const cacheVolume = { size: '2Gi', storageClassName: 'fast' };

type Workload = Pick<ReturnType<typeof cnSetWorkload> | ReturnType<typeof dnSetWorkload>, 'spec'>;
const podOf = ({ spec }: Workload) => {
  if (!spec.template.spec) throw new Error('the template has no pod');
  return spec.template.spec;
};
const mainOf = (workload: Workload) => podOf(workload).containers[0];
const mounts = (workload: Workload) =>
  mainOf(workload)?.volumeMounts?.map(({ name, mountPath, readOnly }) => [name, mountPath, readOnly === true]);
const claims = ({ spec }: Workload) =>
  (spec.volumeClaimTemplates ?? []).map(({ metadata, spec: claim }) => [
    metadata.name,
    claim?.resources?.requests?.storage,
    claim?.storageClassName,
  ]);

const configuration = ['config', '/etc/matrixone/config', true];
const data = ['mo-data', '/var/lib/matrixone', false];

test('compute nodes have their configuration, and with a cache volume that too [case 16, 17]', () => {
  const without = cnSetWorkload(set, cn, storage, config);
  expect([mounts(without), claims(without)]).toEqual([[configuration], []]);
  const having = cnSetWorkload(set, { ...cn, cacheVolume }, storage, config);
  expect([mounts(having), claims(having)]).toEqual([[configuration, data], [['mo-data', '2Gi', 'fast']]]);
});

test('transaction nodes likewise [case 26]', () => {
  const without = dnSetWorkload(set, dn, storage, config);
  expect([mounts(without), claims(without)]).toEqual([[configuration], []]);
  const having = dnSetWorkload(set, { ...dn, cacheVolume }, storage, config);
  expect([mounts(having), claims(having)]).toEqual([[configuration, data], [['mo-data', '2Gi', 'fast']]]);
});

test('log stores: mounts, variables, gates, volumes and claims; found by name before they are ready [case 31]', () => {
  const workload = logSetWorkload(set, log, config);
  expect(mounts(workload)).toEqual([
    data,
    ['bootstrap', '/etc/bootstrap', true],
    ['config', '/etc/logservice', true],
    ['gossip', '/etc/gossip', true],
  ]);
  const pod = podOf(workload);
  expect(pod.volumes?.map(({ name, configMap }) => [name, configMap?.name])).toEqual([
    ['bootstrap', 'x-log-bootstrap'],
    ['gossip', 'x-log-gossip'],
    ['config', 'x-config'],
  ]);
  expect(mainOf(workload)?.env?.map(({ name }) => name)).toEqual([
    'POD_NAME',
    'NAMESPACE',
    'POD_IP',
    'HEADLESS_SERVICE_NAME',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_REGION',
  ]);
  expect(pod.readinessGates).toEqual([{ conditionType: 'InPlaceUpdateReady' }]);
  expect([claims(workload), workload.spec.serviceName]).toEqual([[['mo-data', '10Gi', undefined]], 'x-log-headless']);
  expect(logHeadlessService(set).spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
});

test('a change of the spec is a change of the template, and the live claims stay [case 16, 26]', () => {
  const live = cnSetWorkload(set, { ...cn, cacheVolume }, storage, config);
  const next = cnSetWorkload(set, { ...cn, image: 'mo:2.2.0' }, storage, config, live);
  expect([mainOf(next)?.image, claims(next)]).toEqual(['mo:2.2.0', claims(live)]);
  const stores = dnSetWorkload(set, { ...dn, cacheVolume }, storage, config);
  const wanted = dnSetWorkload(set, { ...dn, resources: { limits: { cpu: '2' } } }, storage, config, stores);
  expect([mainOf(wanted)?.resources, claims(wanted)]).toEqual([{ limits: { cpu: '2' } }, claims(stores)]);
});

test('containers of the overlay come after the main one [case 25]', () => {
  const sidecarContainers = [{ name: 'a-sidecar', image: 'busybox' }];
  const pythonUdfSidecar = { enabled: true };
  const pod = podOf(cnSetWorkload(set, { ...cn, pythonUdfSidecar, overlay: { sidecarContainers } }, storage, config));
  expect(pod.containers.map(({ name }) => name)).toEqual(['main', 'a-sidecar', 'python-udf']);
  expect(pod.containers[1]).toEqual(sidecarContainers[0]);
});

test('tolerations of the overlay are the pod’s, as they are [case 35]', () => {
  const tolerations = [
    { key: 'dedicated', operator: 'Equal', value: 'db', effect: 'NoSchedule' },
    { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
  ];
  const overlay = { tolerations };
  for (const workload of [
    logSetWorkload(set, { ...log, overlay }, config),
    dnSetWorkload(set, { ...dn, overlay }, storage, config),
    cnSetWorkload(set, { ...cn, overlay }, storage, config),
  ]) {
    expect(podOf(workload).tolerations).toEqual(tolerations);
  }
});

test('a kind of volume that the overlay names stays in the templates of a live set', () => {
  const claim = { metadata: { name: 'own' }, spec: { accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem' } };
  const own = { ...cn, cacheVolume, overlay: { volumeClaims: [claim] } };
  const made = cnSetWorkload(set, own, storage, config);
  expect(cnSetWorkload(set, own, storage, config, made)).toEqual(made);
});

test('whether Prometheus comes is not for the annotations of the service to say', () => {
  const annotated = { ...cn, serviceAnnotations: { 'prometheus.io/scrape': 'false', a: 'b' } };
  expect(cnService(set, annotated).metadata.annotations).toEqual({ a: 'b' });
  const exported = { ...annotated, exportToPrometheus: true };
  expect(cnService(set, exported).metadata.annotations).toMatchObject({ 'prometheus.io/scrape': 'true', a: 'b' });
});
