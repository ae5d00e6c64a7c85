/** The real kubectl against an embedded cluster with the operators: what a user types, and what it prints. */
import { startCluster } from '@coxswain/cluster';
import { matrixoneOperator } from '@coxswain/operator-matrixone';
import { installCrds } from '@coxswain/runtime/apply';
import { createManager, type Manager } from '@coxswain/runtime/manager';
import { type Cluster, type ClusterProgram, kubectlFor } from '@coxswain/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorClient } from './commands/operator-client.ts';

const example = new URL('../../../examples/matrixone/cluster.yaml', import.meta.url).pathname;

let cluster: Cluster;
let manager: Manager;
let kubectl: ClusterProgram;

beforeAll(async () => {
  cluster = await startCluster({ port: 0, nodes: 3 });
  await installCrds(cluster.client, matrixoneOperator.crds());
  const client = await operatorClient(cluster, matrixoneOperator);
  manager = createManager({ client, name: matrixoneOperator.name });
  matrixoneOperator.setup(manager);
  await manager.start();
  kubectl = await kubectlFor(cluster.kubeconfig());
});

afterAll(async () => {
  await kubectl?.[Symbol.asyncDispose]();
  await manager?.stop();
  await cluster?.stop();
});

/** The cells of a printed table, by column. */
function table(text: string): Record<string, string>[] {
  const [head = '', ...rows] = text.trimEnd().split('\n');
  const columns = [...head.matchAll(/\S+(?: \S+)*/g)].map((match) => ({ name: match[0], at: match.index }));
  return rows.map((row) =>
    Object.fromEntries(columns.map(({ name, at }, i) => [name, row.slice(at, columns[i + 1]?.at).trim()])),
  );
}

const deployment = (image: string, replicas: number) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: main
        image: ${image}
        ports: [{name: http, containerPort: 80}]
`;

describe('kubectl and built-in kinds', () => {
  it('apply names an unknown kind, and what to do', async () => {
    const unknown = 'apiVersion: example.com/v1\nkind: Nope\nmetadata: {name: x}\n';
    const { code, stderr } = await kubectl.try(['apply', '-f', '-'], unknown);
    expect(code).toBe(1);
    expect(stderr).toMatch(/no matches for kind "Nope" in version "example\.com\/v1"\nensure CRDs are installed first/);
  });

  it('api-resources lists them with short names, groups and scope', async () => {
    const rows = table(await kubectl(['api-resources']));
    const row = (name: string, version: string) =>
      rows.find((candidate) => candidate.NAME === name && candidate.APIVERSION === version);
    expect(row('pods', 'v1')).toMatchObject({ SHORTNAMES: 'po', NAMESPACED: 'true', KIND: 'Pod' });
    expect(row('deployments', 'apps/v1')).toMatchObject({ SHORTNAMES: 'deploy', KIND: 'Deployment' });
    expect(row('nodes', 'v1')).toMatchObject({ NAMESPACED: 'false' });
    expect(row('matrixoneclusters', 'core.matrixorigin.io/v1alpha1')).toMatchObject({
      SHORTNAMES: 'mo',
      KIND: 'MatrixOneCluster',
    });
    expect(row('clonesets', 'apps.kruise.io/v1alpha1')).toBeDefined();
  });

  it('apply creates, configures and leaves alone', async () => {
    expect(await kubectl(['apply', '-f', '-'], deployment('web:1', 2))).toBe('deployment.apps/web created\n');
    expect(await kubectl(['apply', '-f', '-'], deployment('web:2', 3))).toBe('deployment.apps/web configured\n');
    expect(await kubectl(['apply', '-f', '-'], deployment('web:2', 3))).toBe('deployment.apps/web unchanged\n');
    expect(await kubectl(['rollout', 'status', 'deployment/web', '--timeout=30s'])).toMatch(/successfully rolled out/);
    const [row] = table(await kubectl(['get', 'deployment', 'web', '-o', 'wide']));
    expect(row).toMatchObject({
      NAME: 'web',
      READY: '3/3',
      'UP-TO-DATE': '3',
      AVAILABLE: '3',
      CONTAINERS: 'main',
      IMAGES: 'web:2',
      SELECTOR: 'app=web',
    });
  });

  it('apply refuses an unknown field and names it', async () => {
    const { code, stderr } = await kubectl.try(
      ['apply', '-f', '-'],
      deployment('web:2', 3).replace('replicas:', 'replica:'),
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/strict decoding error: unknown field "spec\.replica"/);
  });

  it('apply refuses an invalid value in the words of Kubernetes', async () => {
    const { code, stderr } = await kubectl.try(
      ['apply', '-f', '-'],
      deployment('web:2', -1).replace('name: web,', 'name: other,'),
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /The Deployment "other" is invalid: spec\.replicas: Invalid value: -1: must be greater than or equal to 0/,
    );
  });

  it('server-side apply owns its fields and reports conflicts', async () => {
    const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: owned, namespace: default}\ndata: {a: "1"}\n';
    expect(await kubectl(['apply', '--server-side', '--field-manager=one', '-f', '-'], config)).toBe(
      'configmap/owned serverside-applied\n',
    );
    const { code, stderr } = await kubectl.try(
      ['apply', '--server-side', '--field-manager=two', '-f', '-'],
      config.replace('"1"', '"2"'),
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/conflict with "one": \.data\.a/);
    expect(
      await kubectl(
        ['apply', '--server-side', '--field-manager=two', '--force-conflicts', '-f', '-'],
        config.replace('"1"', '"2"'),
      ),
    ).toMatch(/serverside-applied/);
  });

  it('get -w follows a change as it happens', async () => {
    const watch = kubectl.start(['get', 'deployment', 'web', '-w', '--no-headers']);
    await watch.until(/^web\s+3\/3/m);
    await kubectl(['scale', 'deployment', 'web', '--replicas', '4']);
    await watch.until(/^web\s+4\/4/m);
    await watch.stop();
  });

  it('patch takes merge, JSON and strategic patches', async () => {
    await kubectl(['patch', 'deployment', 'web', '--type', 'merge', '-p', '{"metadata":{"labels":{"by":"merge"}}}']);
    await kubectl([
      'patch',
      'deployment',
      'web',
      '--type',
      'json',
      '-p',
      '[{"op":"replace","path":"/spec/replicas","value":2}]',
    ]);
    await kubectl([
      'patch',
      'deployment',
      'web',
      '-p',
      '{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"web:3"}]}}}}',
    ]);
    const found = JSON.parse(await kubectl(['get', 'deployment', 'web', '-o', 'json']));
    expect(found.metadata.labels.by).toBe('merge');
    expect(found.spec.replicas).toBe(2);
    expect(found.spec.template.spec.containers).toMatchObject([
      { name: 'main', image: 'web:3', ports: [{ name: 'http' }] },
    ]);
  });

  it('describe shows a pod with its conditions and events', async () => {
    await kubectl(['rollout', 'status', 'deployment/web', '--timeout=30s']);
    const text = await kubectl(['describe', 'pods', '-l', 'app=web']);
    expect(text).toMatch(/Controlled By:\s+ReplicaSet\/web-/);
    expect(text).toMatch(/Ready\s+True/);
    expect(text).toMatch(/Normal\s+Scheduled\s.*default-scheduler\s+Successfully assigned default\/web-/);
  });

  it('explain reads the published schema', async () => {
    const text = await kubectl(['explain', 'pod.spec.containers.livenessProbe.httpGet']);
    expect(text).toMatch(/FIELD: httpGet <HTTPGetAction>/);
    expect(text).toMatch(/port\s+<IntOrString> -required-/);
  });

  it('get selects by label and field, sorts, pages and prints names', async () => {
    expect(
      await kubectl([
        'get',
        'pods',
        '-l',
        'app=web,app!=x',
        '--field-selector',
        'status.phase=Running',
        '-o',
        'name',
        '--chunk-size=1',
      ]),
    ).toMatch(/^pod\/web-\S+\npod\/web-\S+\n$/);
    expect(
      await kubectl(['get', 'namespaces', '--sort-by=.metadata.name', '-o', 'jsonpath={.items[*].metadata.name}']),
    ).toBe('default kube-node-lease kube-public kube-system');
  });

  it('delete waits until all is gone', async () => {
    expect(await kubectl(['delete', 'deployment', 'web', '--wait', '--cascade=foreground', '--timeout=30s'])).toMatch(
      /deployment\.apps "web" deleted/,
    );
    expect(await kubectl(['get', 'pods,rs', '-l', 'app=web', '-o', 'name'])).toBe('');
  });

  it('a namespace goes with everything in it', async () => {
    await kubectl(['apply', '-f', '-'], 'apiVersion: v1\nkind: Namespace\nmetadata: {name: short-lived}\n');
    await kubectl(
      ['apply', '-n', 'short-lived', '-f', '-'],
      deployment('web:1', 2).replace(', namespace: default', ''),
    );
    await kubectl(['delete', 'namespace', 'short-lived', '--wait', '--timeout=30s']);
    expect((await kubectl.try(['get', 'namespace', 'short-lived'])).stderr).toMatch(
      /namespaces "short-lived" not found/,
    );
  });
});

describe('kubectl and MatrixOne', () => {
  it('apply brings a cluster to Ready', async () => {
    await kubectl(['apply', '-f', example]);
    await kubectl(['wait', 'matrixonecluster/mo', '--for=condition=Ready', '--timeout=60s']);
    const [row] = table(await kubectl(['get', 'mo']));
    expect(row).toMatchObject({ NAME: 'mo', LOG: '3', PHASE: 'Ready', VERSION: 'v2.1.0' });
    const sets = table(await kubectl(['get', 'cnsets']));
    expect(sets).toMatchObject([{ NAME: 'mo-tp', REPLICAS: '2', IMAGE: 'matrixorigin/matrixone:v2.1.0' }]);
  });

  it('explain knows the fields of the CRD', async () => {
    const text = await kubectl(['explain', 'mo.spec.cnGroups.scalingConfig']);
    expect(text).toMatch(/GROUP:\s+core\.matrixorigin\.io/);
    expect(text).toMatch(/storeDrainEnabled\s+<boolean>/);
  });

  it('describe shows conditions and events', async () => {
    const text = await kubectl(['describe', 'mo', 'mo']);
    expect(text).toMatch(/Type:\s+Ready/);
    expect(text).toMatch(/ReconcileSuccess/);
  });

  it('a CN group is scaled out and in', async () => {
    const group = '/spec/cnGroups/0';
    const patch = (...operations: readonly object[]) =>
      kubectl(['patch', 'mo', 'mo', '--type', 'json', '-p', JSON.stringify(operations)]);
    const replicas = (value: number) => patch({ op: 'replace', path: `${group}/replicas`, value });
    const ready = (count: number) =>
      kubectl(['wait', 'cnset/mo-tp', `--for=jsonpath={.status.readyReplicas}=${count}`, '--timeout=60s']);
    // OpenKruise takes a node that is young for one that is away: with none of them to be away, it would wait half a minute before it removes any.
    await patch({ op: 'add', path: `${group}/updateStrategy`, value: { maxUnavailable: 4 } });
    await replicas(4);
    await ready(4);
    await replicas(1);
    await ready(1);
  });

  it('the scale subresource of a set of its own works', async () => {
    const spec =
      'apiVersion: core.matrixorigin.io/v1alpha1\nkind: CNSet\nmetadata: {name: extra, namespace: default}\n';
    const deps =
      'deps:\n  logSet: {metadata: {name: mo, namespace: default}}\n  dnSet: {metadata: {name: mo, namespace: default}}\n';
    await kubectl(
      ['apply', '-f', '-'],
      `${spec}${deps}spec: {image: "matrixorigin/matrixone:v2.1.0", replicas: 1, serviceType: ClusterIP}\n`,
    );
    await kubectl(['wait', 'cnset/extra', '--for=condition=Ready', '--timeout=60s']);
    expect(await kubectl(['scale', 'cnset/extra', '--replicas=3'])).toBe('cnset.core.matrixorigin.io/extra scaled\n');
    await kubectl(['wait', 'cnset/extra', '--for=jsonpath={.status.readyReplicas}=3', '--timeout=60s']);
    await kubectl(['delete', 'cnset', 'extra', '--wait', '--timeout=60s']);
  });

  it('a value the schema refuses is named with what is allowed', async () => {
    const { code, stderr } = await kubectl.try([
      'patch',
      'mo',
      'mo',
      '--type',
      'merge',
      '-p',
      '{"spec":{"logService":{"replicas":"three"}}}',
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /spec\.logService\.replicas: Invalid value: "string": spec\.logService\.replicas in body must be of type integer: "string"/,
    );
  });

  it('delete --wait leaves nothing of it', async () => {
    await kubectl(['delete', 'mo', 'mo', '--wait', '--timeout=60s']);
    const left = await kubectl([
      'get',
      'logset,dnset,cnset,proxyset,clone,statefulsets.apps.kruise.io,pods,services',
      '-o',
      'name',
    ]);
    expect(left).toBe('service/kubernetes\n');
  });
});
