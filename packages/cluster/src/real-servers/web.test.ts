import { Agent, get } from 'node:http';
import { Deployment, Service } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { sleep, systemClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { namespace, ServerWorld } from './test-world.ts';

const agent = new Agent({ keepAlive: false });

/** The version that answers. */
function ask(host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host, port: 80, agent, signal: AbortSignal.timeout(10_000) }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.once('error', reject).once('end', () => {
        const version = /^version (\w+) on web-/.exec(text)?.[1];
        if (response.statusCode === 200 && version) resolve(version);
        else reject(new Error(`${response.statusCode}: ${text}`));
      });
    }).once('error', reject);
  });
}

function deployment(version: string): Deployment {
  const main = {
    name: 'web',
    image: 'web',
    env: [{ name: 'VERSION', value: version }],
    ports: [{ containerPort: 8080 }],
    readinessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1 },
  };
  return {
    metadata: { name: 'web', namespace },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [main] } },
    },
  };
}

test('a Deployment is rolled over twice under load, and no request fails', { timeout: 120_000 }, async () => {
  await using world = await ServerWorld.start();
  const service = { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] };
  const host = (await world.create(Service, { metadata: { name: 'web' }, spec: service })).spec?.clusterIP ?? '';
  await world.create(Deployment, deployment('one'));
  const rolledOut = () =>
    world.until('all pods of the version', async () => {
      const { metadata, status } = await world.get(Deployment, 'web');
      const { observedGeneration, replicas, updatedReplicas, availableReplicas } = status ?? {};
      const whole = [replicas, updatedReplicas, availableReplicas].every((count) => count === 3);
      return whole && observedGeneration === metadata.generation ? true : undefined;
    });
  await rolledOut();
  await world.until('an answer', () => ask(host));

  const answers = new Map<string, number>();
  const failures: string[] = [];
  let stopped = false;
  const clients = Array.from({ length: 6 }, async () => {
    while (!stopped) {
      await ask(host).then(
        (version) => answers.set(version, (answers.get(version) ?? 0) + 1),
        (error: unknown) => failures.push(String(error)),
      );
      // The clients live in the cluster's own thread: without a pause they would leave it no time.
      await sleep(systemClock, 10);
    }
  });
  try {
    for (const version of ['two', 'three']) {
      await world.cluster.client
        .of(Deployment)
        .patch({ namespace, name: 'web' }, merge({ spec: deployment(version).spec }));
      await rolledOut();
      await world.until('an answer of the version', async () => (answers.has(version) ? true : undefined));
    }
  } finally {
    stopped = true;
    await Promise.all(clients);
  }
  expect(failures).toEqual([]);
  expect([...answers.keys()].sort()).toEqual(['one', 'three', 'two']);
});
