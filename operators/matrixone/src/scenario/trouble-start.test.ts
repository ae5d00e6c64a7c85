import { type Kind, LimitRange, Namespace, Node, ResourceQuota, Secret, StorageClass } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { CNSet, LogSet, MatrixOneCluster, ProxySet } from '../api/index.ts';
import { TroubleWorld } from './test-trouble.ts';

const inNamespace = (name: string) => ({ namespace: 'default', name });
const mo = inNamespace('mo');

interface Trouble {
  /** What is in the way before the cluster is made. */
  arrange?(world: TroubleWorld): Promise<unknown>;
  /** Laid over the example's spec. */
  readonly spec?: object;
  /** Who says it; default the LogSet. */
  readonly kind?: Kind;
  readonly name?: string;
  /** The condition's reason, and words of its message. */
  readonly reason: string;
  readonly says: RegExp;
  mend(world: TroubleWorld): Promise<unknown>;
}

const s3 = { type: 'minio', path: 'lake/prod', endpoint: 'http://minio:9000', secretRef: { name: 'minio' } };
const withS3 = (change: object) => ({ logService: { sharedStorage: { s3: { ...s3, ...change } } } });
const keys = (...names: string[]) => ({ stringData: Object.fromEntries(names.map((name) => [name, 'x'])) });

async function secret(world: TroubleWorld, name: string, ...names: string[]): Promise<void> {
  await world.drive(world.client.of(Secret).create({ metadata: inNamespace(name), ...keys(...names) }));
}

const troubles: Readonly<Record<string, Trouble>> = {
  'the Secret of the S3 storage comes late': {
    spec: withS3({ secretRef: { name: 'later' } }),
    reason: 'ContainerNotMade',
    says: /mo-log-0, mo-log-1, mo-log-2: container main cannot start: secret "later" not found/,
    mend: (world) => secret(world, 'later', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'),
  },
  'the Secret of the S3 storage lacks a key': {
    arrange: (world) => secret(world, 'half', 'AWS_ACCESS_KEY_ID'),
    spec: withS3({ secretRef: { name: 'half' } }),
    reason: 'ContainerNotMade',
    says: /couldn't find key AWS_SECRET_ACCESS_KEY in Secret default\/half/,
    mend: (world) =>
      world.drive(world.client.of(Secret).patch(inNamespace('half'), merge(keys('AWS_SECRET_ACCESS_KEY')))),
  },
  'the Secret with the certificates of the S3 storage comes late': {
    spec: withS3({ certificateRef: { name: 's3-ca', files: ['ca.pem'] } }),
    reason: 'SecretMissing',
    says: /Secret s3-ca, which it mounts, is not there/,
    mend: (world) => secret(world, 's3-ca', 'ca.pem'),
  },
  'a Secret that the proxy reads comes late': {
    spec: {
      proxy: { overlay: { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'proxy', key: 'a' } } }] } },
    },
    kind: ProxySet,
    reason: 'ContainerNotMade',
    says: /^mo-proxy-\w+: container main cannot start: secret "proxy" not found/,
    mend: (world) => secret(world, 'proxy', 'a'),
  },
  'nobody has the image': {
    spec: { imageRepository: 'invalid.example/mo' },
    reason: 'ImagePull',
    says: /image invalid\.example\/mo:v2\.1\.0 of container main cannot be pulled/,
    mend: (world) =>
      world.drive(
        world.client.of(MatrixOneCluster).patch(mo, merge({ spec: { imageRepository: 'matrixorigin/matrixone' } })),
      ),
  },
  'no node takes the pods': {
    spec: { cnGroups: [{ name: 'tp', replicas: 2, nodeSelector: { disk: 'ssd' } }] },
    kind: CNSet,
    name: 'mo-tp',
    reason: 'Unschedulable',
    says: /no node takes it: 0\/1 nodes are available: 1 node\(s\) didn't match/,
    mend: (world) =>
      world.drive(world.client.of(Node).patch({ name: 'node-1' }, merge({ metadata: { labels: { disk: 'ssd' } } }))),
  },
  'the class of the volumes comes late': {
    spec: { logService: { volume: { size: '1Gi', storageClassName: 'fast' } } },
    reason: 'Unschedulable',
    says: /unbound immediate PersistentVolumeClaims|persistentvolumeclaim|storageclass/i,
    mend: (world) =>
      world.drive(
        world.client.of(StorageClass).create({ metadata: { name: 'fast' }, provisioner: 'coxswain.io/embedded' }),
      ),
  },
  'a quota is too small': {
    arrange: (world) =>
      world.drive(
        world.client.of(ResourceQuota).create({ metadata: inNamespace('small'), spec: { hard: { pods: '2' } } }),
      ),
    reason: 'PodsRefused',
    says: /^StatefulSet mo-log cannot make pods: .*exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2/,
    mend: (world) =>
      world.drive(
        world.client.of(ResourceQuota).patch(inNamespace('small'), merge({ spec: { hard: { pods: '20' } } })),
      ),
  },
  'a limit of the namespace is lower than what is asked for': {
    arrange: (world) =>
      world.drive(
        world.client.of(LimitRange).create({
          metadata: inNamespace('low'),
          spec: { limits: [{ type: 'Container', max: { memory: '300Mi' }, default: { memory: '300Mi' } }] },
        }),
      ),
    spec: { logService: { resources: { requests: { memory: '1Gi' }, limits: { memory: '1Gi' } } } },
    reason: 'PodsRefused',
    says: /maximum memory usage per Container is 300Mi, but limit is 1Gi/,
    mend: (world) => world.drive(world.client.of(LimitRange).delete(inNamespace('low'))),
  },
  'an overlay makes no pod, and no webhook has said so': {
    spec: { logService: { overlay: { mainContainerSecurityContext: { runAsUser: -1 } } } },
    reason: 'PodsRefused',
    says: /spec\.containers\[0\]\.securityContext\.runAsUser: Invalid value: -1: must be between 0 and/,
    mend: (world) =>
      world.drive(world.client.of(MatrixOneCluster).patch(mo, merge({ spec: { logService: { overlay: null } } }))),
  },
  'the namespace demands safer pods': {
    arrange: (world) => enforce(world, 'restricted'),
    reason: 'PodsRefused',
    says: /violates PodSecurity "restricted:latest": allowPrivilegeEscalation/,
    mend: (world) => enforce(world, null),
  },
  'a policy of somebody else refuses pods': {
    arrange: refuseLogPods,
    reason: 'PodsRefused',
    says: /denied request: no log stores today/,
    mend: (world) => world.drive(world.client.raw({ method: 'DELETE', path: `${policies}bindings/no-logs` })),
  },
};

function enforce(world: TroubleWorld, level: string | null): Promise<unknown> {
  const labels = { 'pod-security.kubernetes.io/enforce': level };
  return world.drive(world.client.of(Namespace).patch({ name: 'default' }, merge({ metadata: { labels } })));
}

const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicy';

async function refuseLogPods(world: TroubleWorld): Promise<void> {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
  const expression = "!object.metadata.name.startsWith('mo-log')";
  const policy = {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'no-logs' },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression, message: 'no log stores today' }],
    },
  };
  const binding = {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'no-logs' },
    spec: { policyName: 'no-logs', validationActions: ['Deny'] },
  };
  // Not driven: the server reads the module for policies from disk at the first, and no virtual time passes meanwhile.
  await world.client.raw({ method: 'POST', path: `${policies.slice(0, -1)}ies`, body: policy });
  await world.client.raw({ method: 'POST', path: `${policies}bindings`, body: binding });
}

test.each(Object.entries(troubles))(
  '%s: it is said, costs little, and is over when it is mended',
  async (_name, trouble) => {
    await using world = await TroubleWorld.start();
    const words = { kind: LogSet, name: 'mo', ...trouble };
    await trouble.arrange?.(world);
    await world.create(trouble.spec ?? {});
    await world.world.clock.advance(180_000);
    await world.newlyTellsOf(words);
    await world.endures();
    await world.tellsOf(words);
    await trouble.mend(world);
    await world.recovers();
    expect((await world.says(words.kind, words.name)).join()).not.toContain('PodsFailing');
  },
);
