/** The charts through their lives with the real Helm; the operator runs as the program of its pods, as the user its chart makes. */
import { Deployment, Lease, Pod } from '@coxswain/k8s';
import { type ClusterProgram, helmFor, kubectlFor } from '@coxswain/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ground, startGround } from '../e2e/test-ground.ts';
import { leaseName } from '../process/index.ts';
import { charts } from './test-helm.ts';

const there = ['-n', 'mo-system'];
/** Milliseconds a test may take, on a machine that does much else too. */
const patience = 240_000;
const spec = [
  'logService.replicas=3',
  'logService.volume.size=1Gi',
  'logService.sharedStorage.s3.path=bucket/mo',
  'logService.sharedStorage.s3.endpoint=http://minio',
  'tn.replicas=1',
  'cnGroups[0].name=tp',
  'cnGroups[0].replicas=1',
  'imageRepository=app',
  'version=2.0.0',
];
const set = spec.flatMap((one) => ['--set', `spec.${one}`]);

const own = { namespace: 'mo-system', name: 'mo-matrixone-operator' };

let cluster: Ground;
let helm: ClusterProgram;
let kubectl: ClusterProgram;

beforeAll(async () => {
  cluster = await startGround();
  helm = await helmFor(cluster.kubeconfig());
  kubectl = await kubectlFor(cluster.kubeconfig());
});
afterAll(async () => {
  await helm?.[Symbol.asyncDispose]();
  await kubectl?.[Symbol.asyncDispose]();
  await cluster?.stop();
});

const json = async (args: readonly string[]) => JSON.parse(await kubectl([...args, '-o', 'json']));
/** All pods of the operator are those that the Deployment asks for now, and ready. */
const rolledOut = (key: { readonly namespace: string; readonly name: string } = own) =>
  expect
    .poll(
      async () => {
        const { metadata, spec, status } = await cluster.client.of(Deployment).get(key);
        const { observedGeneration, replicas, updatedReplicas, availableReplicas } = status ?? {};
        const all = [replicas, updatedReplicas, availableReplicas].every((count) => count === spec?.replicas);
        return observedGeneration === metadata.generation && all;
      },
      { timeout: 120_000, interval: 250 },
    )
    .toBe(true);
const holder = async () =>
  (await cluster.client.of(Lease).get({ namespace: 'mo-system', name: leaseName })).spec?.holderIdentity?.split('_')[0];
const pods = async (): Promise<readonly Pod[]> =>
  (await cluster.client.of(Pod).list({ namespace: 'mo-system' })).items.filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );

test(
  'install brings the CRDs and an operator that leads',
  async () => {
    expect(await helm(['install', 'mo', charts.operator, ...there, '--create-namespace'])).toMatch(
      /STATUS: deployed\nREVISION: 1/,
    );
    await rolledOut();
    const [pod] = await pods();
    await expect.poll(holder, { timeout: 60_000 }).toBe(pod?.metadata.name);
  },
  patience,
);

test(
  'list and status know the release',
  async () => {
    expect(JSON.parse(await helm(['list', '-A', '-o', 'json']))).toMatchObject([
      { name: 'mo', namespace: 'mo-system', status: 'deployed', app_version: '1.3.0' },
    ]);
    expect(await helm(['status', 'mo', ...there])).toMatch(/STATUS: deployed/);
  },
  patience,
);

test(
  'the chart of a cluster makes one, and the operator acts on it',
  async () => {
    await helm(['install', 'db', charts.cluster, ...set]);
    const made = [
      'statefulset.apps.kruise.io/db-matrixone-log',
      'logset/db-matrixone',
      'configmap/db-matrixone-log-config',
    ];
    for (const name of made)
      await expect.poll(async () => (await kubectl.try(['get', name])).code, { timeout: 60_000 }).toBe(0);
  },
  patience,
);

test(
  'its webhooks are asked, over a certificate it made itself',
  async () => {
    const args = ['template', 'odd', charts.cluster, ...set, '--set', 'spec.logService.config=no toml'];
    const manifest = await helm(args);
    const refusal = async () => (await kubectl.try(['create', '--dry-run=server', '-f', '-'], manifest)).stderr;
    await expect.poll(refusal, { timeout: 60_000 }).toMatch(/spec\.logService\.config: .*illegal character in key/);
  },
  patience,
);

test(
  'metrics are behind a Service',
  async () => {
    const { subsets } = await json(['get', 'endpoints', 'mo-matrixone-operator-metrics', ...there]);
    const [{ addresses, ports }] = subsets;
    const response = await fetch(`http://${addresses[0].ip}:${ports[0].port}/metrics`);
    expect(await response.text()).toMatch(/^controller_runtime_reconcile_total\{.*logset/m);
  },
  patience,
);

test(
  'upgrade to another image and two replicas: one leads, the other takes over when it goes',
  async () => {
    await helm(['upgrade', 'mo', charts.operator, ...there, '--set', 'image.tag=next,replicaCount=2']);
    await rolledOut();
    const now = await pods();
    expect(now.map(({ spec }) => spec?.containers[0]?.image)).toEqual(
      Array(2).fill('coxswain/matrixone-operator:next'),
    );
    const names = now.map(({ metadata }) => metadata.name);
    await expect.poll(async () => names.includes((await holder()) ?? ''), { timeout: 60_000 }).toBe(true);
    expect((await json(['get', 'pdb', 'mo-matrixone-operator', ...there])).status).toMatchObject({ currentHealthy: 2 });
    const leader = await holder();
    await kubectl(['delete', 'pod', leader ?? '', ...there, '--wait=false']);
    await expect.poll(holder, { timeout: 60_000 }).toBe(names.find((name) => name !== leader));
  },
  patience,
);

test(
  'an upgrade that would make Helm delete what has data behind it is refused',
  async () => {
    const dry = ['upgrade', 'mo', charts.operator, ...there, '--dry-run=server'];
    const mark = async (crd: string, ...marks: readonly string[]) =>
      kubectl(['annotate', '--overwrite', 'crd', crd, ...marks]);
    const release = ['meta.helm.sh/release-name=mo', 'meta.helm.sh/release-namespace=mo-system'];
    for (const [crd, args, message] of [
      ['clonesets.apps.kruise.io', [], /the release mo brought OpenKruise/],
      [
        'matrixoneclusters.core.matrixorigin.io',
        ['--set', 'crds.install=false'],
        /Upgrade once with crds\.install=true/,
      ],
    ] as const) {
      await mark(crd, ...release, 'helm.sh/resource-policy-');
      const { code, stderr } = await helm.try([...dry, ...args]);
      expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
      await mark(crd, 'helm.sh/resource-policy=keep');
      await helm([...dry, ...args]);
    }
  },
  patience,
);

test(
  'rollback goes back to one replica of the first image',
  async () => {
    await helm(['rollback', 'mo', '1', ...there]);
    await rolledOut();
    const deployment = await json(['get', 'deployment', 'mo-matrixone-operator', ...there]);
    expect(deployment.spec).toMatchObject({ replicas: 1 });
    expect(deployment.spec.template.spec.containers[0].image).toBe('coxswain/matrixone-operator:1.3.0');
  },
  patience,
);

test(
  'an uninstalled operator leaves clusters and CRDs, and a new one goes on with them',
  async () => {
    const before = await json(['get', 'matrixonecluster', 'db-matrixone']);
    await helm(['uninstall', 'mo', ...there]);
    expect(await kubectl(['get', 'deployment,clusterrole', '-A', '-o', 'name'])).not.toMatch(/matrixone-operator/);
    expect((await json(['get', 'matrixonecluster', 'db-matrixone'])).metadata.uid).toBe(before.metadata.uid);
    // Its right to the lease went before its pod, so it could not give that up: the next one would wait for 15 s.
    await cluster.client.of(Lease).delete({ namespace: 'mo-system', name: leaseName });
    await helm(['install', 'mo', charts.operator, ...there]);
    await rolledOut();
  },
  patience,
);

test(
  'an uninstalled cluster goes',
  async () => {
    await helm(['uninstall', 'db']);
    const left = async () => await kubectl(['get', 'matrixonecluster,logset,statefulset.apps.kruise.io', '-o', 'name']);
    await expect.poll(left, { timeout: 60_000 }).toBe('');
  },
  patience,
);

test(
  'an operator of one namespace acts there and needs nothing elsewhere',
  async () => {
    await helm(['uninstall', 'mo', ...there]);
    const one = ['--set', 'onlyWatchReleasedNS=true,crds.install=false'];
    await helm(['install', 'near', charts.operator, '-n', 'near', '--create-namespace', ...one]);
    await rolledOut({ namespace: 'near', name: 'near-matrixone-operator' });
    await helm(['install', 'far', charts.cluster, ...set]);
    await helm(['install', 'db', charts.cluster, '-n', 'near', ...set]);
    const logSets = async () => await kubectl(['get', 'logset', '-A', '-o', 'name']);
    await expect.poll(logSets, { timeout: 60_000 }).toBe('logset.core.matrixorigin.io/db-matrixone\n');
    expect(await refusals()).toEqual([]);
  },
  patience,
);

/** What the operator of namespace `near` was not allowed to do. Logs of pods are only there where nodes are the server's own. */
async function refusals(): Promise<readonly string[]> {
  if (cluster.refused)
    return (await cluster.refused())
      .filter(({ user, code }) => user.startsWith('system:serviceaccount:near:') && code === 403)
      .map(({ message }) => message);
  const log = await kubectl(['logs', '-n', 'near', 'deployment/near-matrixone-operator']);
  return log.split('\n').filter((line) => /[Ff]orbidden|cannot/.test(line));
}
