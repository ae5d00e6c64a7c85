import type { KubeObject } from '@coxswain/k8s';
import { installCrds } from '@coxswain/runtime/apply';
import { createClient, merge } from '@coxswain/runtime/client';
import { ApiError, silentLogger } from '@coxswain/runtime/core';
import { startTestCluster, type TestCluster } from '@coxswain/testing';
import { expect, test } from 'vitest';
import { CNSet, MatrixOneCluster, ProxySet } from '../api/index.ts';
import { matrixoneOperator } from '../operator.ts';
import { overlayField } from './overlay-field.ts';
import { admit, refusal } from './test-admit.ts';
import { objectOf } from './test-rows.ts';
import { triedOverlayProblems } from './try-overlay.ts';
import { versionWarnings } from './version-warnings.ts';

type Row = readonly [overlay: object, field: string, says: string];

const volume = { name: 'extra', emptyDir: {} };
const sidecar = { name: 'beside', image: 'beside:1' };

/** Overlays of the right form that make no pod, by what the server says. */
const wrong: readonly Row[] = [
  [{ livenessProbe: { httpGet: { path: '/' } } }, 'livenessProbe.httpGet.port', 'between 1 and 65535'],
  [
    { readinessProbe: { tcpSocket: { port: 1 }, periodSeconds: -1 } },
    'readinessProbe.periodSeconds',
    'greater than or equal to 0',
  ],
  [{ lifecycle: { preStop: {} } }, 'lifecycle.preStop', 'must specify a handler type'],
  [{ imagePullPolicy: 'Often' }, 'imagePullPolicy', 'supported values'],
  [{ env: [{ name: 'A', valueFrom: {} }] }, 'env[0].valueFrom', ''],
  [{ envFrom: [{}] }, 'envFrom', 'must specify one of'],
  [{ volumeMounts: [{ name: 'nowhere', mountPath: '/x' }] }, 'volumeMounts[0].name', 'not found'],
  [{ volumes: [{ name: 'A b', emptyDir: {} }] }, 'volumes[0].name', 'lowercase'],
  [{ volumes: [{ name: 'v', secret: {} }] }, 'volumes[0].secret.secretName', 'Required'],
  [{ initContainers: [{ name: 'first' }] }, 'initContainers[0].image', 'Required'],
  [
    { sidecarContainers: [{ ...sidecar, ports: [{ containerPort: 0 }] }] },
    'sidecarContainers[0].ports[0].containerPort',
    '',
  ],
  [{ sidecarContainers: [{ ...sidecar, name: 'main' }] }, 'sidecarContainers[0].name', 'duplicate'],
  [{ tolerations: [{ key: 'a', operator: 'Is' }] }, 'tolerations[0].operator', 'supported values'],
  [{ mainContainerSecurityContext: { runAsUser: -1 } }, 'mainContainerSecurityContext.runAsUser', 'between 0 and'],
  [{ securityContext: { fsGroup: -1 } }, 'securityContext.fsGroup', 'between 0 and'],
  [{ serviceAccountName: 'A_b' }, 'serviceAccountName', 'lowercase'],
  [{ hostAliases: [{ ip: 'x' }] }, 'hostAliases[0].ip', 'valid IP'],
  [
    { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule' }] },
    'topologySpreadConstraints[0].maxSkew',
    '',
  ],
];

const right = {
  env: [
    { name: 'A', value: 'b' },
    { name: 'lower', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ],
  volumes: [volume],
  volumeMounts: [
    { name: 'extra', mountPath: '/extra' },
    { name: 'mo-data', mountPath: '/also' },
    { name: 'more', mountPath: '/more' },
  ],
  volumeClaims: [
    {
      metadata: { name: 'more' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ],
  sidecarContainers: [{ ...sidecar, volumeMounts: [{ name: 'mo-data', mountPath: '/data' }] }],
  tolerations: [{ key: 'a', operator: 'Exists' }],
  podLabels: { team: 'x' },
};

async function start(): Promise<TestCluster> {
  const world = await startTestCluster();
  await installCrds(world.client, matrixoneOperator.crds(), { clock: world.clock });
  await admit(world);
  return world;
}

test('an overlay is refused for what pods would be refused for, at its own place; what pods may say it may', async () => {
  await using world = await start();
  const { client, namespace } = world;
  const asked = (overlay: object) =>
    refusal(
      client
        .of<KubeObject>(CNSet)
        .create(objectOf({ kind: CNSet }, 'a', namespace, { spec: { overlay } }), { dryRun: true }),
    );
  const surprises: unknown[] = [];
  for (const [overlay, field, says] of wrong) {
    const causes = await asked(overlay);
    const told = causes.find((cause) => cause.field === `spec.overlay.${field}`);
    if (!told?.message?.toLowerCase().includes(says.toLowerCase())) surprises.push({ field, says, causes });
  }
  expect(surprises).toEqual([]);
  expect(await asked(right)).toEqual([]);
  const [cause] = await asked({ readinessProbe: { periodSeconds: 'soon' } });
  expect(cause).toMatchObject({ field: 'spec.overlay', message: expect.stringContaining('periodSeconds') });
  await ofClusters(world);
  await keepsWhatWas(world);
  await warnsOfVersions(world);
});

/** In a cluster with the path of the set; values are not repeated, as they may be secret. */
async function ofClusters({ client, namespace }: TestCluster): Promise<void> {
  const overlay = { hostAliases: [{ ip: 'secret' }] };
  const group = { name: 'tp', replicas: 1, overlay };
  const spec = { logService: { overlay }, tn: { overlay }, cnGroups: [group], proxy: { replicas: 1, overlay } };
  const cluster = objectOf({ kind: MatrixOneCluster }, 'mo', namespace, { spec });
  const causes = await refusal(client.of<KubeObject>(MatrixOneCluster).create(cluster));
  const paths = ['spec.cnGroups[0]', 'spec.logService', 'spec.proxy', 'spec.tn'];
  expect(causes.map(({ field }) => field).sort()).toEqual(paths.map((path) => `${path}.overlay.hostAliases[0].ip`));
  expect(JSON.stringify(causes)).not.toContain('secret"');
}

async function warnsOfVersions(world: TestCluster): Promise<void> {
  const warnings: string[] = [];
  const transport = await world.transport();
  const client = createClient({ transport, fieldManager: 'test', onWarning: (warning) => warnings.push(warning) });
  const cluster = objectOf({ kind: MatrixOneCluster }, 'mo', world.namespace, { spec: { operatorVersion: 'abc' } });
  await client.of<KubeObject>(MatrixOneCluster).create(cluster, { dryRun: true });
  expect(warnings).toContainEqual(expect.stringContaining('spec.operatorVersion: "abc" is no version'));
}

/** Objects with such an overlay may have been stored before; they can be changed all the same. */
async function keepsWhatWas({ client, namespace }: TestCluster): Promise<void> {
  const fine = objectOf({ kind: ProxySet }, 'p', namespace, { spec: { overlay: right } });
  await client.of<KubeObject>(ProxySet).create(fine);
  const key = { namespace, name: 'p' };
  const patch = (change: object) => refusal(client.of(ProxySet).patch(key, merge({ spec: change })));
  expect(await patch({ replicas: 2 })).toEqual([]);
  const [cause] = await patch({ overlay: { imagePullPolicy: 'Often' } });
  expect(cause?.field).toBe('spec.overlay.imagePullPolicy');
}

test('fields of the pod that was tried are told as those of the overlay', () => {
  const containers = [
    { name: 'main', image: 'a' },
    { name: 'b', image: 'b' },
  ];
  const field = (path: string) => overlayField(`template.${path}`, { spec: { containers } });
  expect(field('metadata.labels')).toBe('spec.overlay.podLabels');
  expect(field('metadata.annotations')).toBe('spec.overlay.podAnnotations');
  expect(field('spec.containers[0].env[1].name')).toBe('spec.overlay.env[1].name');
  expect(field('spec.containers[0].securityContext.x')).toBe('spec.overlay.mainContainerSecurityContext.x');
  expect(field('spec.containers[1].image')).toBe('spec.overlay.sidecarContainers[0].image');
  expect(field('spec.dnsConfig.options')).toBe('spec.overlay.dnsConfig.options');
  expect(overlayField('metadata.name', {})).toBe('spec.overlay');
});

test.each([
  ['the operator has no right', 403, {}],
  ['the API server is too slow', 504, {}],
  ['a webhook of others knows no dry runs', 400, { message: 'admission webhook "x" does not support dry run' }],
  ['a webhook of others refuses PodTemplates', 400, { message: 'admission webhook "x" denied the request: no' }],
  ['a policy of others refuses PodTemplates', 422, { details: { kind: 'podtemplates' } }],
])('where %s an overlay is let through: pods will tell', async (_why, code, more) => {
  const send = () =>
    Promise.reject(
      new ApiError({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        code,
        reason: 'Any',
        message: 'no',
        ...more,
      }),
    );
  const client = createClient({ transport: { send, watch: send, close: async () => {} } });
  const context = { client, namespace: 'default', log: silentLogger, signal: new AbortController().signal };
  expect(await triedOverlayProblems({ hostAliases: [{ ip: 'x' }] }, context)).toEqual([]);
});

test('an operator version that means another than it seems to is taken, with a warning', () => {
  const said = (operatorVersion: string) => versionWarnings([{ path: 'spec.tn', spec: { operatorVersion } }]);
  expect(said('abc')).toEqual(['spec.tn.operatorVersion: "abc" is no version, and taken for 1.2.0']);
  expect(said('9.0.0')).toEqual([
    'spec.tn.operatorVersion: 9.0.0 is not known to this operator, which knows up to 1.3.0',
  ]);
  for (const known of ['1.2.0', '1.3.0', 'v1.3']) expect(said(known)).toEqual([]);
  expect(versionWarnings([{ path: 'spec', spec: {} }])).toEqual([]);
});
