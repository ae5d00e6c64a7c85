/** The real kubectl's rollout: status, history, undo, restart, pause and resume, of Deployments and StatefulSets. */
import { type Cluster, type ClusterProgram, kubectlFor, startCluster } from '@coxswain/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';

let cluster: Cluster;
let kubectl: ClusterProgram;

beforeAll(async () => {
  cluster = await startCluster({ port: 0, nodes: 2 });
  kubectl = await kubectlFor(cluster.kubeconfig());
});
afterAll(async () => {
  await kubectl?.[Symbol.asyncDispose]();
  await cluster?.stop();
});

const image = (kind: string) => kubectl(['get', kind, '-o', 'jsonpath={.spec.template.spec.containers[0].image}']);

it('rolls a Deployment on and back, and tells its history', async () => {
  await kubectl(['create', 'deployment', 'web', '--image=app:1', '--replicas=3']);
  expect(await kubectl(['rollout', 'status', 'deployment/web', '--timeout=60s'])).toContain(
    'deployment "web" successfully rolled out',
  );
  await kubectl(['annotate', 'deployment/web', 'kubernetes.io/change-cause=first']);
  await kubectl(['set', 'image', 'deployment/web', '*=app:2']);
  await kubectl(['rollout', 'status', 'deployment/web', '--timeout=60s']);
  await kubectl(['annotate', 'deployment/web', 'kubernetes.io/change-cause=second']);
  const history = await kubectl(['rollout', 'history', 'deployment/web']);
  expect(history).toMatch(/1 +first\n2 +(first|second)\n/);
  expect(await kubectl(['rollout', 'history', 'deployment/web', '--revision=1'])).toMatch(/Image:\s+app:1/);
  expect(await kubectl(['rollout', 'undo', 'deployment/web'])).toBe('deployment.apps/web rolled back\n');
  await kubectl(['rollout', 'status', 'deployment/web', '--timeout=60s']);
  expect(await image('deployment/web')).toBe('app:1');
  expect(await kubectl(['rollout', 'history', 'deployment/web'])).toMatch(/^2 .*\n3 /m);
});

it('pauses, resumes and restarts', async () => {
  await kubectl(['rollout', 'pause', 'deployment/web']);
  await kubectl(['set', 'image', 'deployment/web', '*=app:5']);
  const paused = await kubectl(['get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[*].spec.containers[0].image}']);
  expect(new Set(paused.split(' '))).toEqual(new Set(['app:1']));
  await kubectl(['rollout', 'resume', 'deployment/web']);
  await kubectl(['rollout', 'status', 'deployment/web', '--timeout=60s']);
  await kubectl(['rollout', 'restart', 'deployment/web']);
  expect(await kubectl(['rollout', 'status', 'deployment/web', '--timeout=60s'])).toContain('successfully rolled out');
  const restarted = 'jsonpath={.spec.template.metadata.annotations.kubectl\\.kubernetes\\.io/restartedAt}';
  expect(await kubectl(['get', 'deployment/web', '-o', restarted])).not.toBe('');
});

it('says what a roll that is stuck waits for', async () => {
  await kubectl(['patch', 'deployment/web', '-p', '{"spec":{"progressDeadlineSeconds":2}}']);
  await kubectl(['set', 'image', 'deployment/web', '*=invalid.example/app:9']);
  const stuck = await kubectl.try(['rollout', 'status', 'deployment/web', '--timeout=60s']);
  expect(stuck.code).toBe(1);
  expect(stuck.stderr).toContain('error: deployment "web" exceeded its progress deadline');
  await kubectl(['rollout', 'undo', 'deployment/web']);
  await kubectl(['rollout', 'status', 'deployment/web', '--timeout=60s']);
});

it('does the same with a StatefulSet', async () => {
  const labels = { app: 'db' };
  const set = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db' },
    spec: {
      replicas: 2,
      serviceName: 'db',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'app:1' }] } },
    },
  };
  await kubectl(['apply', '-f', '-'], JSON.stringify(set));
  expect(await kubectl(['rollout', 'status', 'statefulset/db', '--timeout=60s'])).toMatch(
    /statefulset rolling update complete 2 pods at revision db-\w+|partitioned roll out complete/,
  );
  await kubectl(['set', 'image', 'statefulset/db', 'main=app:2']);
  await kubectl(['rollout', 'status', 'statefulset/db', '--timeout=60s']);
  expect(await kubectl(['rollout', 'history', 'statefulset/db'])).toMatch(/REVISION +CHANGE-CAUSE\n1 .*\n2 /);
  expect(await kubectl(['rollout', 'undo', 'statefulset/db'])).toBe('statefulset.apps/db rolled back\n');
  await kubectl(['rollout', 'status', 'statefulset/db', '--timeout=60s']);
  expect(await image('statefulset/db')).toBe('app:1');
});

it('drains a node within a budget, cordons it and lets it back', async () => {
  await kubectl(['create', 'poddisruptionbudget', 'web', '--selector=app=web', '--max-unavailable=1']);
  const [node = ''] = (await kubectl(['get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}'])).split(' ');
  const drained = await kubectl(['drain', node, '--ignore-daemonsets', '--force', '--timeout=120s']);
  expect(drained).toContain(`node/${node} cordoned`);
  expect(drained).toContain(`node/${node} drained`);
  const left = await kubectl(['get', 'pods', '-A', '--field-selector', `spec.nodeName=${node}`, '-o', 'name']);
  expect(left).toBe('');
  expect(await kubectl(['uncordon', node])).toBe(`node/${node} uncordoned\n`);
  await kubectl(['rollout', 'status', 'deployment/web', '--timeout=60s']);
});
