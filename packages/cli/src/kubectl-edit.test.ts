/** kubectl as the hands of somebody who works on objects that are there: what it shows, compares, changes, rolls out and waits for. */
import { type Cluster, type ClusterProgram, kubectlFor, startCluster } from '@coxswain/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const web = (image: string, replicas = 2) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "${image}"}]}
`;

let cluster: Cluster;
let kubectl: ClusterProgram;

beforeAll(async () => {
  cluster = await startCluster({ port: 0, nodes: 2, kruise: false });
  // Stands for somebody who replaces a word and saves.
  kubectl = await kubectlFor(cluster.kubeconfig(), { KUBE_EDITOR: 'sed -i s/blue/green/' });
  await kubectl(['apply', '-f', '-'], web('web:1'));
  await kubectl(['rollout', 'status', 'deployment/web', '--timeout=30s']);
});

afterAll(async () => {
  await kubectl?.[Symbol.asyncDispose]();
  await cluster?.stop();
});

const jsonPath = (resource: string, path: string) => kubectl(['get', resource, '-o', `jsonpath=${path}`]);

describe('kubectl get', () => {
  it.each([
    ['wide', /^NAME\s+READY.*CONTAINERS\s+IMAGES\s+SELECTOR\nweb\s+2\/2.*main\s+web:1\s+app=web\n$/],
    ['yaml', /^apiVersion: apps\/v1\nkind: Deployment\nmetadata:\n/],
    ['json', /^\{\n {4}"apiVersion": "apps\/v1"/],
    ['name', /^deployment\.apps\/web\n$/],
    ['jsonpath={.spec.replicas}', /^2$/],
    ['jsonpath-as-json={.spec.replicas}', /^\[\n {4}2\n\]\n$/],
    ['go-template={{.metadata.name}} {{len .spec.template.spec.containers}}', /^web 1$/],
    ['custom-columns=N:.metadata.name,R:.spec.replicas', /^N\s+R\nweb\s+2\n$/],
  ])('-o %s', async (form, expected) => {
    expect(await kubectl(['get', 'deployment', 'web', '-o', form])).toMatch(expected);
  });

  it('shows labels, managed fields and kinds, of several kinds at once', async () => {
    expect(await kubectl(['get', 'pods', '--show-labels', '--no-headers'])).toMatch(/app=web,pod-template-hash=/);
    expect(await kubectl(['get', 'deployment', 'web', '-o', 'yaml', '--show-managed-fields'])).toMatch(/f:replicas/);
    const several = await kubectl(['get', 'deployments,services', '--show-kind', '--no-headers']);
    expect(several).toMatch(/^deployment\.apps\/web /m);
    expect(several).toMatch(/^service\/kubernetes /m);
    expect(await kubectl(['get', 'all', '-o', 'name'])).toMatch(/^replicaset\.apps\/web-/m);
  });
});

describe('kubectl diff', () => {
  it('says nothing when nothing would change', async () => {
    expect(await kubectl.try(['diff', '-f', '-'], web('web:1'))).toMatchObject({ code: 0, stdout: '' });
  });

  it.each([[[]], [['--server-side', '--force-conflicts']]])(
    'shows what an apply %s would change, and changes nothing',
    async (flags) => {
      const { code, stdout } = await kubectl.try(['diff', ...flags, '-f', '-'], web('web:9'));
      expect(code).toBe(1);
      expect(stdout).toMatch(/^-\s+- image: web:1$/m);
      expect(stdout).toMatch(/^\+\s+- image: web:9$/m);
      expect(await jsonPath('deployment/web', '{.spec.template.spec.containers[0].image}')).toBe('web:1');
    },
  );
});

describe('kubectl edit, label, annotate, set', () => {
  it('edit saves what the editor left', async () => {
    await kubectl(['create', 'configmap', 'paint', '--from-literal=colour=blue']);
    expect(await kubectl(['edit', 'configmap', 'paint'])).toBe('configmap/paint edited\n');
    expect(await jsonPath('configmap/paint', '{.data.colour}')).toBe('green');
  });

  it('edit of an unchanged object leaves it', async () => {
    expect((await kubectl.try(['edit', 'configmap', 'paint'])).stderr).toMatch(/Edit cancelled, no changes made/);
  });

  it('label and annotate add, refuse to overwrite, overwrite and take away', async () => {
    expect(await kubectl(['label', 'configmap', 'paint', 'tier=a'])).toBe('configmap/paint labeled\n');
    const again = await kubectl.try(['label', 'configmap', 'paint', 'tier=b']);
    expect(again.stderr).toMatch(/'tier' already has a value \(a\), and --overwrite is false/);
    await kubectl(['label', 'configmap', 'paint', 'tier=b', '--overwrite']);
    await kubectl(['annotate', 'configmap', 'paint', 'note=dry']);
    expect(await jsonPath('configmap/paint', '{.metadata.labels.tier} {.metadata.annotations.note}')).toBe('b dry');
    await kubectl(['label', 'configmap', 'paint', 'tier-']);
    await kubectl(['annotate', 'configmap', 'paint', 'note-']);
    expect(await jsonPath('configmap/paint', '{.metadata.labels}{.metadata.annotations}')).toBe('');
    expect((await kubectl.try(['label', 'configmap', 'paint', 'tier=b_'])).stderr).toMatch(
      /invalid label value: "tier=b_"/,
    );
  });

  it('set env and resources reach the template', async () => {
    await kubectl(['set', 'env', 'deployment/web', 'MODE=fast']);
    await kubectl(['set', 'resources', 'deployment/web', '--limits=cpu=200m,memory=512Mi']);
    expect(await jsonPath('deployment/web', '{.spec.template.spec.containers[0].env[0].value}')).toBe('fast');
    expect(await jsonPath('deployment/web', '{.spec.template.spec.containers[0].resources.limits.cpu}')).toBe('200m');
  });
});

describe('kubectl rollout and wait', () => {
  it('a change is rolled out, recorded and taken back', async () => {
    await kubectl(['set', 'image', 'deployment/web', 'main=web:2']);
    expect(await kubectl(['rollout', 'status', 'deployment/web', '--timeout=30s'])).toMatch(/successfully rolled out/);
    const history = await kubectl(['rollout', 'history', 'deployment/web']);
    expect(history).toMatch(/REVISION\s+CHANGE-CAUSE/);
    await kubectl(['rollout', 'undo', 'deployment/web', '--to-revision=1']);
    await kubectl(['rollout', 'status', 'deployment/web', '--timeout=30s']);
    expect(await jsonPath('deployment/web', '{.spec.template.spec.containers[0].image}')).toBe('web:1');
  });

  it('a paused rollout waits, a resumed one goes on, a restart makes new pods', async () => {
    await kubectl(['rollout', 'pause', 'deployment/web']);
    await kubectl(['set', 'image', 'deployment/web', 'main=web:3']);
    expect(await jsonPath('deployment/web', '{.status.updatedReplicas}')).toBe('');
    await kubectl(['rollout', 'resume', 'deployment/web']);
    await kubectl(['rollout', 'status', 'deployment/web', '--timeout=30s']);
    const before = await kubectl(['get', 'pods', '-l', 'app=web', '-o', 'name']);
    await kubectl(['rollout', 'restart', 'deployment/web']);
    await kubectl(['rollout', 'status', 'deployment/web', '--timeout=30s']);
    expect(await kubectl(['get', 'pods', '-l', 'app=web', '-o', 'name'])).not.toBe(before);
  });

  it('wait knows conditions, paths and deletions', async () => {
    await kubectl(['wait', 'deployment/web', '--for=condition=Available', '--timeout=10s']);
    await kubectl(['wait', 'deployment/web', '--for=jsonpath={.status.readyReplicas}=2', '--timeout=10s']);
    const late = await kubectl.try(['wait', 'deployment/web', '--for=condition=Nothing', '--timeout=1s']);
    expect(late).toMatchObject({ code: 1 });
    expect(late.stderr).toMatch(/timed out waiting for the condition on deployments\/web/);
    await kubectl(['delete', 'configmap', 'paint', '--wait=false']);
    await kubectl(['wait', 'configmap/paint', '--for=delete', '--timeout=10s']);
  });
});

describe('kubectl apply', () => {
  it('moves from client-side to server-side without a conflict', async () => {
    const moved = (image: string) => web(image).replace(/web/g, 'moved');
    await kubectl(['apply', '-f', '-'], moved('web:1'));
    const toServer = () => kubectl(['apply', '--server-side', '-f', '-'], moved('web:4'));
    expect(await toServer()).toMatch(/serverside-applied/);
    // It hands the fields over by a patch of one version, which it tries five times. While pods are rolled out the controllers may write
    // the status in between each time; then it says nothing, and leaves it to the next apply.
    await kubectl(['rollout', 'status', 'deployment/moved', '--timeout=30s']);
    expect(await toServer()).toMatch(/serverside-applied/);
    const managers = await jsonPath('deployment/moved', '{.metadata.managedFields[*].manager}');
    expect(managers).not.toMatch(/kubectl-client-side-apply/);
  });

  it('prunes what is no longer in the files', async () => {
    const map = (name: string) =>
      `---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default, labels: {set: one}}\n`;
    const prune = ['apply', '--prune', '-l', 'set=one', '--prune-allowlist=core/v1/ConfigMap', '-f', '-'];
    await kubectl(prune, map('kept') + map('dropped'));
    expect(await kubectl(prune, map('kept'))).toMatch(/configmap\/dropped pruned/);
  });

  it('a dry run on the server shows defaults and leaves nothing', async () => {
    const text = await kubectl(['apply', '--dry-run=server', '-o', 'yaml', '-f', '-'], web('x').replace(/web/g, 'dry'));
    expect(text).toMatch(/terminationGracePeriodSeconds: 30/);
    expect((await kubectl.try(['get', 'deployment', 'dry'])).code).toBe(1);
  });
});
