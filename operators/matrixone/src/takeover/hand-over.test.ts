/**
 * From the upstream chart with OpenKruise's chart within it to ours, and back, with the real Helm, over databases as upstream recorded them:
 * `./cox test matrixone`, and with `--real` on the control plane of a real Kubernetes.
 */
import { CustomResourceDefinition, PodDisruptionBudget } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LABEL_COMPONENT, MatrixOneCluster } from '../api/index.ts';
import { charts } from '../chart/test-helm.ts';
import { isReal } from '../e2e/test-ground.ts';
import { recordings } from '../golden/test-recording.ts';
import { unexpected } from './test-changes.ts';
import { type Found, HandOver } from './test-hand-over.ts';
import { onProcessNode } from './test-upstream-chart.ts';

const patience = 240_000;
const isWanted = isReal || process.env['COX_MATRIXONE'] === 'long';
/** One of each sort: settings in place and not, the deprecated groups. */
const recorded = ['appendix-a', 'basic-123', 'legacy-tp-ap'];
/** Values of ours, beside those that say where it runs. */
const values = Object.entries({ ...onProcessNode, image: { repository: 'coxswain/matrixone-operator' } })
  .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  .join(',');
const done = expect.objectContaining({ code: 0 });

describe.runIf(isWanted).each([4, 3] as const)('with Helm %i', { timeout: patience }, (major) => {
  let world: HandOver;
  let before: readonly Found[] = [];
  let alive: unknown;
  beforeAll(async () => {
    world = await HandOver.start(major);
    for (const recording of recordings().filter(({ name }) => recorded.includes(name))) await world.add(recording);
    before = await world.atRest();
    alive = await world.alive();
  }, patience);
  afterAll(() => world?.[Symbol.asyncDispose]());

  test('there are databases whose pods are of all roles', () => {
    expect(before).toHaveLength(recorded.length);
    for (const one of before) {
      const roles = [...one.values()].map(({ metadata }) => metadata.labels?.[LABEL_COMPONENT]);
      expect(roles).toEqual(expect.arrayContaining(['LogSet', 'DNSet', 'CNSet']));
    }
  });

  test('an upgrade that would take OpenKruise away is refused, and the line that it says makes it pass', async () => {
    const upgrade = () => world.helm('upgrade', 'mo', charts.operator);
    expect(await upgrade()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/clonesets\.apps\.kruise\.io, stateful/),
    });
    const annotations = { 'helm.sh/resource-policy': 'keep' };
    for (const name of Object.keys(await world.crds()).filter((one) => one.endsWith('.kruise.io')))
      await world.client.of(CustomResourceDefinition).patch({ name }, merge({ metadata: { annotations } }));
    const { code, stderr } = await upgrade();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /would delete MutatingWebhookConfiguration .*, Namespace .*, Deployment .*, DaemonSet kruise-/,
    );
    expect(await world.alive()).toEqual(alive);
    await world.shell(/^ {2}(helm get manifest .*)$/m.exec(stderr)?.[1] ?? '');
  });

  test('upgraded, nothing but status is written, no CRD is lost, and no pod restarts', async () => {
    expect(await world.helm('upgrade', 'mo', charts.operator, '--set-json', values)).toEqual(done);
    await world.runs(/coxswain/);
    for (const namespace of world.namespaces)
      await world.until('a budget, which only ours makes', async () => {
        const { items } = await world.client.of(PodDisruptionBudget).list({ namespace });
        return items.length > 0;
      });
    const after = await world.atRest();
    expect(before.flatMap((one, i) => unexpected(one, after[i] ?? new Map()))).toEqual([]);
    expect(await world.alive()).toEqual(alive);
    for (const namespace of world.namespaces)
      for (const { status } of (await world.client.of(MatrixOneCluster).list({ namespace })).items)
        expect(status?.phase).toBe('Ready');
  });

  test('OpenKruise becomes a release of its own, in place', async () => {
    const force = major === 4 ? ['--force-conflicts'] : [];
    const args = ['install', 'kruise', world.charts.kruise, '--take-ownership', ...force];
    expect(await world.helm(...args)).toEqual(done);
    expect(await world.alive()).toEqual(alive);
  });

  test('back to the upstream chart, all goes on as well', async () => {
    expect(await world.helm('upgrade', 'mo', world.charts.operator, '--set', 'kruise.enabled=false')).toEqual(done);
    await world.runs(/pause/);
    expect(await world.alive()).toEqual(alive);
  });
});
