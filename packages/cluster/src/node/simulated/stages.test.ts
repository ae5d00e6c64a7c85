import { Deployment, Pod, type Probe } from '@coxswain/k8s';
import { seededRandom } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { conditionText, TestCluster, template } from '../../controllers/test-cluster.ts';
import { defaultBehaviour } from './behaviour.ts';
import type { Stage } from './stage.ts';
import { stagedBehaviour } from './stages.ts';

async function world(...stages: Stage[]): Promise<TestCluster> {
  return TestCluster.start({ stages });
}

function pod(name: string, image = 'app:1', probes: Readonly<Record<string, Probe>> = {}): Pod {
  const containers = [{ name: 'main', image, ...probes }];
  return { metadata: { name, labels: { app: name } }, spec: { containers } };
}

async function container(cluster: TestCluster, name = 'a') {
  return (await cluster.get(Pod, name)).status?.containerStatuses?.[0];
}

test('delays of pull and start, for the containers that match only', async () => {
  await using cluster = await world({ match: { labels: 'app=a' }, pull: { delay: 5_000 }, start: { delay: 3_000 } });
  await cluster.create(Pod, pod('a'));
  await cluster.create(Pod, pod('b'));
  expect((await cluster.get(Pod, 'b')).status?.phase).toBe('Running');
  await cluster.advance(7);
  expect((await cluster.get(Pod, 'a')).status?.phase).toBe('Pending');
  await cluster.advance(2);
  expect((await cluster.get(Pod, 'a')).status?.phase).toBe('Running');
});

test('an image that cannot be pulled twice, and then can', async () => {
  await using cluster = await world({
    match: { image: '*:2' },
    when: { times: 2 },
    pull: { error: 'the registry is away' },
  });
  await cluster.create(Pod, pod('a', 'app:2'));
  await cluster.advance(15);
  expect((await container(cluster))?.state?.waiting?.message).toContain('the registry is away');
  await cluster.advance(60);
  expect(await container(cluster)).toMatchObject({ ready: true, restartCount: 0 });
});

test('a container that is killed for its memory three times, and then does well', async () => {
  const exit = { delay: 2_000, code: 137, reason: 'OOMKilled' };
  await using cluster = await world({ match: { container: 'main' }, when: { times: 3 }, exit });
  await cluster.create(Pod, pod('a'));
  await cluster.advance(3);
  expect((await container(cluster))?.lastState?.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  await cluster.advance(120);
  expect(await container(cluster)).toMatchObject({ ready: true, restartCount: 3 });
});

test('a container that does not hear that it is to end', async () => {
  await using cluster = await world({ stop: { deaf: true } });
  await cluster.create(Pod, pod('a'));
  await cluster.delete(Pod, 'a');
  await cluster.advance(29);
  expect(await cluster.names(Pod)).toEqual(['a']);
  await cluster.advance(2);
  expect(await cluster.names(Pod)).toEqual([]);
});

test('readiness that flaps, and liveness that fails once', async () => {
  const readinessProbe = { tcpSocket: { port: 1 }, periodSeconds: 1, failureThreshold: 1 };
  const livenessProbe = { tcpSocket: { port: 2 }, periodSeconds: 1, failureThreshold: 1 };
  await using cluster = await world(
    { match: { pod: 'a' }, probes: { readiness: { from: 10_000, for: 5_000, every: 20_000 } } },
    { match: { pod: 'b' }, when: { times: 1 }, probes: { liveness: { from: 10_000 } } },
  );
  await cluster.create(Pod, pod('a', 'app:1', { readinessProbe }));
  await cluster.create(Pod, pod('b', 'app:1', { livenessProbe }));
  const seen: (string | undefined)[] = [];
  for (const seconds of [5, 7, 7, 13, 7]) {
    await cluster.advance(seconds);
    seen.push(conditionText(await cluster.get(Pod, 'a'), 'Ready'));
  }
  const not = 'False/ContainersNotReady';
  expect(seen).toEqual(['True', not, 'True', not, 'True']);
  expect(await container(cluster, 'b')).toMatchObject({ ready: true, restartCount: 1 });
});

test('a share of the pods fails, the same ones with the same seed', async () => {
  const failing = async () => {
    await using cluster = await world({ when: { probability: 0.3 }, start: { error: 'no such file' } });
    const spec = { replicas: 20, selector: { matchLabels: { app: 'a' } }, template: template({ app: 'a' }) };
    await cluster.create(Deployment, { metadata: { name: 'a' }, spec });
    const pods = await cluster.list(Pod);
    return pods.flatMap(({ status }, i) =>
      status?.containerStatuses?.[0]?.state?.waiting?.message === 'no such file' ? [i] : [],
    );
  };
  const first = await failing();
  expect(first.length).toBeGreaterThan(1);
  expect(first.length).toBeLessThan(15);
  expect(await failing()).toEqual(first);
});

test('of each part the first stage counts that has it', () => {
  const stages: Stage[] = [{ exit: { delay: 1, code: 2 } }, { exit: { code: 3 }, pull: { delay: 5 } }];
  const behave = stagedBehaviour(stages, defaultBehaviour, seededRandom(1));
  expect(behave(pod('a'), { name: 'main' }, 0)).toMatchObject({ kind: 'ends', exitCode: 2, pull: { delay: 5 } });
});

test.each([
  [{ exit: { code: 'x' } }, 'stages[0].exit.code: Invalid value'],
  [{ exit: { code: 300 } }, 'stages[0].exit.code'],
  [{ exits: {} }, 'stages[0].exits: there is no such field'],
  [{ match: { pod: 3 } }, 'stages[0].match.pod: must be a text or a list of texts'],
  [{ match: { labels: 'a in' } }, 'stages[0].match.labels: '],
  [{ when: { probability: 2 } }, 'stages[0].when.probability'],
])('%o cannot be used, and it is said why', (stage, words) => {
  expect(() => stagedBehaviour([stage as Stage], defaultBehaviour, seededRandom(1))).toThrow(words);
});
