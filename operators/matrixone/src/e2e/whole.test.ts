/**
 * A whole MatrixOne from first to last, with its operator under the permissions, webhooks and Pod Security Standards of its chart: on the
 * embedded cluster by `./cox test matrixone`, on the control plane of a real Kubernetes with `--real`. The objects that come of it are
 * recorded on the latter (`--real -u` renews them), and the same on both.
 */
import { Namespace, PersistentVolumeClaim, Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { MatrixOneCluster } from '../api/index.ts';
import { isPodReady } from '../controllers/store-status.ts';
import { isReal } from './test-ground.ts';
import { PodWatch } from './test-pod-watch.ts';
import { ImageFolder } from './test-script-image.ts';
import { nextNode, Sessions } from './test-sessions.ts';
import { snapshot } from './test-snapshot.ts';
import { namespace, ProcessWorld, type Spec, small } from './test-world.ts';

const patience = 300_000;
const isWanted = isReal || process.env['COX_MATRIXONE'] === 'long';
const recorded = '../../fixtures/whole/objects.yaml';

const whole: Spec = {
  ...small,
  cnGroups: [...small.cnGroups, { name: 'ap', replicas: 1 }],
  proxy: { replicas: 2 },
  webui: { replicas: 1, serviceType: 'ClusterIP' },
};
const least: Spec = {
  ...small,
  logService: { ...small.logService, replicas: 1 },
  cnGroups: [{ name: 'tp', replicas: 1 }],
};

/** A folder with an image of the dashboard that does nothing. */
const dashboard = () =>
  ImageFolder.of({
    name: 'matrixorigin/dashboard',
    path: '/mocloud-metric-service',
    script: "trap 'exit 0' TERM\nwhile :; do sleep 1; done",
    packed: ['sleep'],
  });

const sorted = (lines: string): string => lines.split('\n').sort().join('\n');

describe.runIf(isWanted)('a whole MatrixOne', { timeout: patience }, () => {
  let world: ProcessWorld;
  let images: ImageFolder;
  let before = '';
  /** How much the API server had refused when it was killed. One that starts again knows of nobody's permissions for a moment. */
  let atCrash = 0;
  /** All there is in the namespace that does not come and go by itself. */
  async function everything(): Promise<string> {
    const kinds = await world.kubectl(['api-resources', '--namespaced', '--verbs=list', '-o', 'name']);
    const lasting = kinds.split('\n').filter((kind) => kind !== '' && !/^(events|leases|.*metrics.k8s.io$)/.test(kind));
    return world.kubectl(['get', lasting.join(','), '-n', namespace, '-o', 'name', '--ignore-not-found']);
  }
  const gone = (but = '') =>
    world.until(
      'a namespace as it was',
      async () => {
        const now = await everything();
        if (sorted(now) === sorted(before + but)) return true;
        throw new Error(now);
      },
      180,
    );

  beforeAll(async () => {
    images = await dashboard();
    world = await ProcessWorld.start({
      images: [images.path],
      values: ['replicaCount=2'],
      enforce: 'restricted',
    });
    const labels = { 'pod-security.kubernetes.io/enforce': 'baseline' };
    await world.cluster.client.of(Namespace).patch({ name: namespace }, merge({ metadata: { labels } }));
    before = await everything();
  }, patience);
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await images?.[Symbol.asyncDispose]();
  });

  test('its webhooks are asked', async () => {
    const wrong = { ...least, logService: { ...least.logService, config: 'no toml' } };
    await world.until('a refusal that names the field', async () => {
      const error = await world.create(wrong as Spec, 'wrong').then(() => 'taken', String);
      if (/spec\.logService\.config: .*illegal character in key/.test(error)) return true;
      throw new Error(error);
    });
  });

  test('the smallest one is ready, and goes; its volume stays when it is to', async () => {
    await world.create({ ...least, logService: { ...least.logService, pvcRetentionPolicy: 'Retain' } }, 'try');
    await world.settled(120, 'try');
    await world.remove('try');
    const volume = { namespace, name: 'mo-data-try-log-0' };
    await gone(`persistentvolumeclaim/${volume.name}\n`);
    await world.cluster.client.of(PersistentVolumeClaim).delete(volume);
    await gone();
  });

  test('with all its parts, it consists of the objects that were recorded on a real Kubernetes', async () => {
    await world.create(whole);
    await world.settled(180);
    await world.until('all pods', async () => (await allPods()).every(isPodReady));
    const text = stringify(await snapshot(world.cluster.client, namespace), {
      lineWidth: 0,
      aliasDuplicateObjects: false,
    });
    await expect(text).toMatchFileSnapshot(recorded);
  });

  const allPods = async () => (await world.cluster.client.of(Pod).list({ namespace })).items;

  test('2 to 4 to 2 compute nodes: no session is cut', async () => {
    const proxy = await world.proxyAddress();
    // each proxy looks at the cluster for itself
    for (const { status } of await world.pods('ProxySet'))
      await world.until(`a session through ${status?.podIP}`, () => nextNode(status?.podIP ?? ''));
    await using sessions = await Sessions.open(proxy, 4);
    await using pods = await PodWatch.begin(world.cluster);
    const count = async () => (await world.pods('CNSet')).length - 1;
    await world.changeGroup({ replicas: 4 });
    await world.settled(120);
    expect(await count()).toBe(4);
    await world.changeGroup({ replicas: 2 });
    await world.until('two compute nodes', async () => (await count()) === 2, 180);
    await world.settled(120);
    const answered = sessions.statements;
    await world.until('sessions that go on', async () => sessions.statements > answered + 50);
    expect(sessions.problems).toEqual([]);
    expect(pods.fewest('CNSet')).toBe(3);
  });

  test('another image is rolled out, while the API server is killed', async () => {
    await world.change({ version: 'v4.2.1' });
    const isNew = ({ spec }: Pod) => spec?.containers[0]?.image === 'matrixorigin/matrixone:v4.2.1';
    await world.until('the first new log store', async () => (await world.pods('LogSet')).some(isNew), 120);
    atCrash = (await world.cluster.refused?.())?.length ?? 0;
    await world.cluster.crashApiserver?.();
    await world.until(
      'new pods',
      async () => {
        const roles = ['LogSet', 'DNSet', 'CNSet', 'ProxySet'] as const;
        const all = (await Promise.all(roles.map((role) => world.pods(role)))).flat();
        return all.length === 9 && all.every((pod) => isNew(pod) && isPodReady(pod));
      },
      280,
    );
    await world.settled(120);
  });

  test('deleted, it goes without a trace', async () => {
    await world.remove();
    await gone();
    expect((await world.cluster.client.of(MatrixOneCluster).list({ namespace })).items).toEqual([]);
  });

  test.runIf(isReal)('nobody asked the API server for what it refuses', async () => {
    const refused = ((await world.cluster.refused?.()) ?? []).filter(({ code }, i) => i < atCrash || code !== 403);
    const expected = [
      // a spec that is wrong on purpose
      /^admin .* 422 create .*\/matrixoneclusters\?/,
      // of two replicas that set the trust of their webhooks one is told that the other was first
      /mo-matrixone-operator .* 422 patch .*webhookconfigurations/,
      // who guards owners learns of new kinds within half a minute after their CRDs
      /mo-matrixone-operator .* 403 .*cannot find RESTMapping/,
      // the certificate of this API server is its own authority, which one controller of Kubernetes does not publish
      /clustertrustbundle/,
    ];
    const lines = refused.map(({ user, agent, code, verb, path, message }) =>
      [user, agent, code, verb, path, message].join(' '),
    );
    expect(lines.filter((line) => !expected.some((one) => one.test(line)))).toEqual([]);
  });
});
