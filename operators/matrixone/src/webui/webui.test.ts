import { ConfigMap, Deployment, Event, Pod, Service } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { MatrixOneCluster, setLabels, WebUI } from '../api/index.ts';
import { webUIOf } from '../children/index.ts';
import { decided, sentService } from '../golden/test-normalize.ts';
import { recordings } from '../golden/test-recording.ts';
import { World } from '../scenario/test-world.ts';
import { clusterProblems } from '../validation/index.ts';
import { planWebUI } from './plan.ts';

const recording = recordings().find(({ name }) => name === 'webui');
if (!recording) throw new Error('the recording of the dashboard is missing');
const { input, stored } = recording;
const [cluster] = input.of('MatrixOneCluster');
if (!cluster) throw new Error('the recording has no cluster');

/** A Deployment without what the API server fills in. */
function sent({ metadata, spec }: Deployment): unknown {
  const { progressDeadlineSeconds: _, revisionHistoryLimit: __, template, ...rest } = spec ?? {};
  const { dnsPolicy, restartPolicy, schedulerName, securityContext, terminationGracePeriodSeconds, ...pod } =
    template?.spec ?? { containers: [] };
  const containers = pod.containers.map(
    ({ imagePullPolicy, terminationMessagePath, terminationMessagePolicy, ports = [], ...container }) => ({
      ...container,
      ports: ports.map(({ protocol: _protocol, ...port }) => port),
    }),
  );
  const { annotations: _annotations, ...named } = metadata;
  const told = { ...rest, template: { ...template, spec: { ...pod, containers } } };
  return decided({ kind: 'Deployment', metadata: named, spec: told } as Deployment);
}

test('the dashboard of a cluster is that of upstream, to the byte [case 34]', () => {
  const made = webUIOf(cluster);
  const recorded = stored.get('WebUI', 'mo');
  expect(made?.deps).toBeUndefined();
  expect({ ...made?.spec, serviceType: 'ClusterIP' }).toEqual(recorded.spec);
  const plan = planWebUI(recorded, recorded.spec ?? { replicas: 0, serviceType: 'ClusterIP' });
  expect(plan.configMap.metadata.name).toBe('mo-webui-config-35d79b3');
  expect(decided(plan.configMap)).toEqual(decided(stored.get('ConfigMap', 'mo-webui-config-35d79b3')));
  expect(decided(sentService(plan.service))).toEqual(decided(sentService(stored.get('Service', 'mo-webui'))));
  expect(sent(plan.workload)).toEqual(sent(stored.get('Deployment', 'mo-webui')));
});

test('what upstream fell over or passed by: no strategy, another group than tp, an overlay, a config', () => {
  const spec = {
    replicas: 1,
    serviceType: 'NodePort' as const,
    config: '[log]\nlevel = "debug"\n[other]\nx = 1\n',
    imagePullPolicy: 'Always',
    overlay: { podLabels: { a: 'b' }, podAnnotations: { c: 'd' }, env: [{ name: 'E', value: 'f' }] },
  };
  const deps = { cnset: { metadata: { name: 'mo-main', namespace: 'g-webui' } } };
  const plan = planWebUI({ metadata: { name: 'mo', namespace: 'g-webui' }, spec, deps }, spec);
  expect(plan.workload.spec?.strategy).toEqual({ type: 'RollingUpdate' });
  expect(plan.service.spec?.type).toBe('NodePort');
  expect(plan.configMap.data?.['config.toml']).toContain('host = "mo-main-cn"');
  expect(plan.configMap.data?.['config.toml']).toContain('[other]\nx = 1');
  const { template } = plan.workload.spec ?? {};
  expect(template?.metadata).toMatchObject({ labels: { a: 'b' }, annotations: { c: 'd' } });
  expect(template?.spec?.containers[0]).toMatchObject({ imagePullPolicy: 'Always', env: [{ name: 'E', value: 'f' }] });
  expect(template?.spec?.containers[1]).not.toHaveProperty('env');
});

test('a dashboard without an image, or with one that says no version, is judged with its cluster', () => {
  const problems = (webui: object) =>
    clusterProblems({
      ...cluster,
      spec: { ...cluster.spec, webui: { replicas: 1, serviceType: 'ClusterIP', ...webui } },
    })
      .filter(({ field }) => field.startsWith('spec.webui'))
      .map(({ field }) => field);
  expect(problems({})).toEqual([]);
  expect(problems({ image: 'matrixorigin/dashboard:nightly' })).toEqual(['spec.webui.semanticVersion']);
  expect(problems({ config: 'x =' })).toEqual(['spec.webui.config']);
});

const key = { namespace: 'default', name: 'mo' };
const web = { namespace: 'default', name: 'mo-webui' };

async function worldWith(webui: object): Promise<World> {
  const world = await World.start();
  await world.applyExample((mo) => ({
    ...mo,
    spec: { ...mo.spec, webui: { replicas: 2, serviceType: 'ClusterIP', ...webui } },
  }));
  await world.until('the cluster is settled', () => world.settled());
  await world.until('the dashboard is ready', async () => isSettled(await world.client.of(WebUI).get(key)));
  return world;
}

function isSettled({ metadata, status }: WebUI): boolean {
  return ['Ready', 'Synced'].every((wanted) =>
    status?.conditions?.some(
      ({ type, status: value, observedGeneration }) =>
        type === wanted && value === 'True' && observedGeneration === metadata.generation,
    ),
  );
}

test('a dashboard becomes ready and synced, costs nothing then, and goes with its part of the spec', async () => {
  await using world = await worldWith({});
  expect([...world.refusals]).toEqual([]);
  const workload = await world.drive(world.client.of(Deployment).get(web));
  expect(workload.status?.availableReplicas).toBe(2);
  const ui = await world.drive(world.client.of(WebUI).get(key));
  expect(ui.status?.availableStores).toHaveLength(2);
  expect((await world.drive(world.cluster()))?.status?.webui?.conditions).toEqual(ui.status?.conditions);

  await world.clock.advance(60_000);
  const versions = async () => [
    (await world.drive(world.client.of(WebUI).get(key))).metadata.resourceVersion,
    (await world.drive(world.client.of(Deployment).get(web))).metadata.resourceVersion,
    (await world.drive(world.client.of(Pod).list({ namespace: 'default' }))).items.map(
      ({ metadata }) => metadata.resourceVersion,
    ),
  ];
  const before = await versions();
  await world.clock.advance(600_000);
  expect(await versions()).toEqual(before);

  await world.drive(world.client.of(MatrixOneCluster).patch(key, merge({ spec: { webui: null } })));
  await world.until('the dashboard is gone', async () => (await world.client.of(WebUI).find(key)) === undefined);
  await world.until('the cluster is settled', () => world.settled());
  expect(await world.drive(world.client.of(Deployment).find(web))).toBeUndefined();
  expect(await world.drive(world.client.of(Service).find(web))).toBeUndefined();
  expect((await world.drive(world.cluster()))?.status).not.toHaveProperty('webui');
  await world.clock.advance(60_000);
  const maps = await world.drive(world.client.of(ConfigMap).list({ namespace: 'default' }));
  expect(maps.items.map(({ metadata }) => metadata.name).filter((name) => name.includes('webui'))).toEqual([]);
});

test('a new configuration is a new map, and the old one goes when no pod reads it', async () => {
  await using world = await worldWith({});
  const maps = async () =>
    (await world.drive(world.client.of(ConfigMap).list({ namespace: 'default' }))).items
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.includes('webui'));
  const before = await maps();
  expect(before).toHaveLength(1);
  await world.drive(
    world.client.of(MatrixOneCluster).patch(key, merge({ spec: { webui: { config: '[extra]\nx = 1\n' } } })),
  );
  await world.until('the old map is gone', async () => {
    const { items } = await world.client.of(ConfigMap).list({ namespace: 'default' });
    return items.every(({ metadata }) => metadata.name !== before[0]);
  });
  const pods = await world.drive(
    world.client.of(Pod).list({ namespace: 'default', labels: 'matrixorigin.io/component=WebUI' }),
  );
  const read = pods.items.flatMap(({ spec }) => spec?.volumes?.flatMap(({ configMap }) => configMap?.name ?? []) ?? []);
  expect([...new Set(read)]).toEqual(await maps());
});

test('an overlay may not take the place of the configuration, as in no set', () => {
  const overlay = {
    volumes: [
      { name: 'config', emptyDir: {} },
      { name: 'own', emptyDir: {} },
    ],
  };
  const spec = { replicas: 1, serviceType: 'ClusterIP' as const, overlay };
  const plan = planWebUI({ metadata: { name: 'mo', namespace: 'default' }, spec }, spec);
  const { name } = plan.configMap.metadata;
  expect(plan.workload.spec?.template.spec?.volumes).toMatchObject([
    { name: 'own' },
    { name: 'config', configMap: { name } },
  ]);
});

const labels = 'matrixorigin.io/component=WebUI';
const podsOf = async (world: World) =>
  (await world.drive(world.client.of(Pod).list({ namespace: 'default', labels }))).items;

test('a pod that has ended and another one has taken the place of is no store that is down', async () => {
  await using world = await worldWith({});
  const [evicted] = await podsOf(world);
  const ended = merge({ status: { phase: 'Failed', reason: 'Evicted' } });
  const { name = '' } = evicted?.metadata ?? {};
  await world.drive(world.client.of(Pod).patch({ namespace: 'default', name }, ended, { subresource: 'status' }));
  await world.clock.advance(60_000);
  expect((await podsOf(world)).map(({ status }) => status?.phase).sort()).toEqual(['Failed', 'Running', 'Running']);
  const { status } = await world.drive(world.client.of(WebUI).get(key));
  expect([status?.availableStores?.length, status?.failedStores?.length ?? 0]).toEqual([2, 0]);
});

test('a pod that somebody has made with the labels of a dashboard holds up no deletion', async () => {
  await using world = await worldWith({});
  const metadata = { namespace: 'default', name: 'by-hand', labels: setLabels('WebUI', 'default', 'mo') };
  await world.drive(world.client.of(Pod).create({ metadata, spec: { containers: [{ name: 'a', image: 'b' }] } }));
  await world.clock.advance(10_000);
  const { uid } = (await world.drive(world.client.of(WebUI).get(key))).metadata;
  await world.drive(world.client.of(WebUI).delete(key));
  await world.until(
    'the dashboard is gone',
    async () => (await world.client.of(WebUI).find(key))?.metadata.uid !== uid,
    120,
  );
  expect((await podsOf(world)).map(({ metadata: { name } }) => name)).toContain('by-hand');
});

test('a pod that is gone before its gate is opened is no failure', async () => {
  const late = { match: { verb: 'watch', resource: 'pods' }, action: { watch: 'delay', ms: 5_000 } } as const;
  await using world = await World.start({ rules: [late] });
  await world.applyExample((mo) => ({
    ...mo,
    spec: { ...mo.spec, webui: { replicas: 1, serviceType: 'ClusterIP' } },
  }));
  await world.until('there is a pod', async () => {
    const { items } = await world.client.of(Pod).list({ namespace: 'default', labels });
    return items.length > 0;
  });
  const [pod] = await podsOf(world);
  const { name = '' } = pod?.metadata ?? {};
  await world.drive(world.client.of(Pod).delete({ namespace: 'default', name }, { gracePeriodSeconds: 0 }));
  await world.until('the dashboard is ready', async () => isSettled(await world.client.of(WebUI).get(key)));
  const { items } = await world.drive(world.client.of(Event).list({ namespace: 'default' }));
  const failures = items.filter(({ reason, regarding }) => reason === 'ReconcileFail' && regarding?.kind === 'WebUI');
  expect(failures.map(({ note }) => note)).toEqual([]);
});
