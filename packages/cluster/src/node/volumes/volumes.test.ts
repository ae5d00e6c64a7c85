import {
  ClusterTrustBundle,
  ConfigMap,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Secret,
  StorageClass,
  type Volume,
} from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestCluster } from '../../controllers/test-cluster.ts';
import type { VolumeContent } from '../runtime.ts';
import { dependenciesOf } from './dependencies.ts';
import { sameContent } from './same-content.ts';
import { podWith, volumesOf } from './test-pod.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Files as `path: mode text`. */
function listing(content: VolumeContent | undefined): readonly string[] {
  if (content?.kind !== 'files') throw new Error(`no files: ${JSON.stringify(content)}`);
  return [...content.files]
    .map(([path, { bytes, mode }]) => `${path}: ${mode.toString(8)} ${Buffer.from(bytes)}`)
    .sort();
}

async function world(): Promise<TestCluster> {
  const cluster = await TestCluster.start();
  await cluster.create(ConfigMap, {
    metadata: { name: 'settings' },
    data: { a: '1', b: '2' },
    binaryData: { raw: base64('\u0000x') },
  });
  await cluster.create(Secret, { metadata: { name: 'password' }, data: { word: base64('hush') } });
  return cluster;
}

async function resolve(cluster: TestCluster, volume: Omit<Volume, 'name'>, spec: object = {}, metadata: object = {}) {
  const pod = podWith([{ name: 'v', ...volume }], spec, metadata);
  const { contents, problems, renewAt } = await cluster.drive(volumesOf(cluster).resolve(pod));
  expect(await cluster.drive(volumesOf(cluster).problems(pod))).toEqual(problems);
  return { content: contents.get('v'), problem: problems[0]?.message, renewAt };
}

test('the keys of a ConfigMap and of a Secret are files', async () => {
  await using cluster = await world();
  const all = await resolve(cluster, { configMap: { name: 'settings', defaultMode: 0o640 } });
  expect(listing(all.content)).toEqual(['a: 640 1', 'b: 640 2', 'raw: 640 \u0000x']);
  const items = [{ key: 'b', path: 'deep/down', mode: 0o400 }];
  const some = await resolve(cluster, { configMap: { name: 'settings', items } });
  expect(listing(some.content)).toEqual(['deep/down: 400 2']);
  const secret = await resolve(cluster, { secret: { secretName: 'password' } });
  expect(listing(secret.content)).toEqual(['word: 644 hush']);
});

test('the group of a pod may read its files', async () => {
  await using cluster = await world();
  const secret = { secretName: 'password', defaultMode: 0o400 };
  const { content } = await resolve(cluster, { secret }, { securityContext: { fsGroup: 999 } });
  expect(listing(content)).toEqual(['word: 440 hush']);
});

test('what is missing is told in the words of the kubelet', async () => {
  await using cluster = await world();
  const setUp = (why: string) => `MountVolume.SetUp failed for volume "v" : ${why}`;
  expect((await resolve(cluster, { configMap: { name: 'none' } })).problem).toBe(setUp('configmap "none" not found'));
  expect((await resolve(cluster, { secret: { secretName: 'none' } })).problem).toBe(setUp('secret "none" not found'));
  const items = [{ key: 'c', path: 'c' }];
  expect((await resolve(cluster, { configMap: { name: 'settings', items } })).problem).toBe(
    setUp('configmap references non-existent config key: c'),
  );
  expect((await resolve(cluster, { secret: { secretName: 'password', items } })).problem).toBe(
    setUp('references non-existent secret key: c'),
  );
  const sources = [{ configMap: { name: 'none' } }, { secret: { name: 'nothing' } }];
  expect((await resolve(cluster, { projected: { sources } })).problem).toBe(
    setUp('[configmap "none" not found, secret "nothing" not found]'),
  );
});

test('what is optional may be missing', async () => {
  await using cluster = await world();
  expect(listing((await resolve(cluster, { configMap: { name: 'none', optional: true } })).content)).toEqual([]);
  const items = [
    { key: 'a', path: 'a' },
    { key: 'c', path: 'c' },
  ];
  const some = await resolve(cluster, { configMap: { name: 'settings', items, optional: true } });
  expect(listing(some.content)).toEqual(['a: 644 1']);
});

test('the downward API: fields and resources', async () => {
  await using cluster = await world();
  await cluster.create(Node, { metadata: { name: 'big' } });
  await cluster.patch(Node, 'big', { status: { allocatable: { cpu: '4', memory: '8Gi' } } }, 'status');
  const field = (path: string, fieldPath: string) => ({ path, fieldRef: { fieldPath } });
  const resource = (path: string, name: string, divisor?: string) => ({
    path,
    resourceFieldRef: { containerName: 'main', resource: name, ...(divisor ? { divisor } : {}) },
  });
  const items = [
    field('labels', 'metadata.labels'),
    field('tier', "metadata.labels['tier']"),
    field('note', "metadata.annotations['example.com/note']"),
    field('name', 'metadata.name'),
    resource('cpu', 'limits.cpu'),
    resource('memory', 'limits.memory', '1Mi'),
    resource('asked', 'requests.cpu', '1m'),
  ];
  const { content } = await resolve(
    cluster,
    { downwardAPI: { items } },
    {
      nodeName: 'big',
      containers: [{ name: 'main', resources: { limits: { cpu: '1500m' }, requests: { cpu: '250m' } } }],
    },
    { labels: { tier: 'db', app: 'a"b' }, annotations: { 'example.com/note': 'two\nlines' } },
  );
  expect(listing(content)).toEqual([
    'asked: 644 250',
    'cpu: 644 2',
    'labels: 644 app="a\\"b"\ntier="db"',
    'memory: 644 8192',
    'name: 644 web',
    'note: 644 two\nlines',
    'tier: 644 db',
  ]);
});

test('a projected volume is all its sources; a later file hides an earlier one', async () => {
  await using cluster = await world();
  await cluster.create(ClusterTrustBundle, {
    metadata: { name: 'roots' },
    spec: { trustBundle: (await cluster.get(ConfigMap, 'kube-root-ca.crt')).data?.['ca.crt'] ?? '' },
  });
  const sources = [
    { configMap: { name: 'settings' } },
    { secret: { name: 'password', items: [{ key: 'word', path: 'a' }] } },
    { downwardAPI: { items: [{ path: 'b', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
    { clusterTrustBundle: { name: 'roots', path: 'ca.pem' } },
  ];
  const { content } = await resolve(cluster, { projected: { sources, defaultMode: 0o600 } });
  const files = listing(content);
  expect(files.slice(0, 2)).toEqual(['a: 600 hush', 'b: 600 default']);
  expect(files[2]).toMatch(/^ca.pem: 600 -----BEGIN CERTIFICATE-----/);
});

test('tokens are bound to the pod, kept, and renewed after most of their life', async () => {
  await using cluster = await world();
  const created = await cluster.create(Pod, {
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'main', image: 'app:1' }] },
  });
  const volumes = volumesOf(cluster);
  const projection = { serviceAccountToken: { path: 'token', audience: 'vault', expirationSeconds: 1000 } };
  const pod = podWith([{ name: 'v', projected: { sources: [projection] } }], {}, { uid: created.metadata.uid });
  const now = cluster.clock.now();
  const first = await cluster.drive(volumes.resolve(pod));
  expect(first.problems).toEqual([]);
  expect(first.renewAt).toBe(Math.floor(now / 1000) * 1000 + 800_000);
  const [, claims = ''] = listing(first.contents.get('v')).join().split('.');
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
    aud: ['vault'],
    'kubernetes.io': { pod: { name: 'web', uid: created.metadata.uid } },
  });
  await cluster.advance(700);
  const same = await cluster.drive(volumes.resolve(pod));
  const content = (resolution: typeof same) => resolution.contents.get('v') as VolumeContent;
  expect(sameContent(content(first), content(same))).toBe(true);
  await cluster.advance(101);
  const renewed = await cluster.drive(volumes.resolve(pod));
  expect(sameContent(content(first), content(renewed))).toBe(false);
  // the account is gone: what is still valid goes on, then it is a problem
  volumes.forget(created.metadata.uid ?? '');
  const orphan = podWith([{ name: 'v', projected: { sources: [projection] } }], { serviceAccountName: 'gone' });
  expect((await cluster.drive(volumes.resolve(orphan))).problems[0]?.message).toContain('failed to fetch token: ');
});

test('claims are what they are bound to', async () => {
  await using cluster = await world();
  const claim = { persistentVolumeClaim: { claimName: 'data' } };
  const failed = (why: string) =>
    `Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[], failed to process volumes=[v]: error processing PVC default/data: ${why}`;
  expect((await resolve(cluster, claim)).problem).toBe(
    failed('failed to fetch PVC from API server: persistentvolumeclaims "data" not found'),
  );
  await cluster.create(PersistentVolumeClaim, {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
  });
  expect((await resolve(cluster, claim)).problem).toBe(failed('PVC is not bound'));
  await cluster.create(StorageClass, { metadata: { name: 'fast' }, provisioner: 'coxswain.io/embedded' });
  const { spec } = await cluster.get(PersistentVolumeClaim, 'data');
  expect((await resolve(cluster, claim)).content).toEqual({
    kind: 'claim',
    volume: spec?.volumeName,
    capacity: 2 ** 30,
    readOnly: false,
  });
});

test('an ephemeral volume is a claim that belongs to the pod', async () => {
  await using cluster = await world();
  await cluster.create(StorageClass, { metadata: { name: 'fast' }, provisioner: 'coxswain.io/embedded' });
  await cluster.create(PersistentVolumeClaim, {
    metadata: { name: 'web-v' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
  });
  expect((await resolve(cluster, { ephemeral: {} })).problem).toContain(
    'PVC default/web-v was not created for pod default/web (pod is not owner)',
  );
});

test('volumes that were made by hand', async () => {
  await using cluster = await world();
  await cluster.create(PersistentVolume, {
    metadata: { name: 'disk' },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/srv/disk' } },
  });
  await cluster.create(PersistentVolumeClaim, {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '1Gi' } } },
  });
  const claim = { persistentVolumeClaim: { claimName: 'data' } };
  expect((await resolve(cluster, claim)).content).toEqual({ kind: 'host', path: '/srv/disk', type: '' });
});

test('volumes without objects', async () => {
  await using cluster = await world();
  expect((await resolve(cluster, { emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } })).content).toEqual({
    kind: 'empty',
    memory: true,
    sizeLimit: 2 ** 20,
  });
  expect((await resolve(cluster, {})).content).toEqual({ kind: 'empty', memory: false });
  const hostPath = { path: '/var/log', type: 'Directory' };
  expect((await resolve(cluster, { hostPath })).content).toEqual({ kind: 'host', ...hostPath });
  expect((await resolve(cluster, { csi: { driver: 'disks.example.com' } })).content).toEqual({
    kind: 'unsupported',
    message:
      'volume "v" is of a sort that this node cannot mount (csi): no CSI driver runs here; use a claim, or a generic ephemeral volume',
  });
});

test('what a pod depends on; its own token is free', async () => {
  const projected = {
    sources: [{ configMap: { name: 'kube-root-ca.crt' } }, { serviceAccountToken: { path: 'token' } }],
  };
  expect(dependenciesOf(podWith([{ name: 'kube-api-access-x', projected }]))).toEqual([]);
  const env = [{ name: 'A', valueFrom: { secretKeyRef: { name: 'password', key: 'word' } } }];
  const pod = podWith(
    [
      { name: 'a', configMap: { name: 'settings' } },
      { name: 'b', projected: { sources: [{ secret: { name: 'password' } }] } },
      { name: 'c', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'd', ephemeral: {} },
    ],
    { containers: [{ name: 'main', env, envFrom: [{ configMapRef: { name: 'more' } }] }] },
  );
  expect(dependenciesOf(pod)).toEqual([
    'configmaps/default/settings',
    'secrets/default/password',
    'persistentvolumeclaims/default/data',
    'persistentvolumeclaims/default/web-d',
    'configmaps/default/more',
  ]);
});
