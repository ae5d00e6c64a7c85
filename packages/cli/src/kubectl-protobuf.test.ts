/** Commands of kubectl that go through Go's typed clients, which write and ask for protobuf. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from '@coxswain/cluster';
import { type Cluster, type ClusterProgram, kubectlFor } from '@coxswain/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let cluster: Cluster;
let kubectl: ClusterProgram;

beforeAll(async () => {
  cluster = await startCluster({ port: 0, nodes: 2, kruise: false });
  kubectl = await kubectlFor(cluster.kubeconfig());
  await kubectl(['create', 'namespace', 'typed']);
  await kubectl(['config', 'set-context', '--current', '--namespace=typed']);
});

afterAll(async () => {
  await kubectl?.[Symbol.asyncDispose]();
  await cluster?.stop();
});

async function get(resource: string): Promise<Record<string, never>> {
  return JSON.parse(await kubectl(['get', resource, '-o', 'json'])) as Record<string, never>;
}

describe('kubectl create', () => {
  it.each([
    ['namespace/extra', ['namespace', 'extra']],
    ['secret/key', ['secret', 'generic', 'key', '--from-literal=password=p']],
    ['job.batch/once', ['job', 'once', '--image=x', '--', 'echo', 'hi']],
    ['cronjob.batch/often', ['cronjob', 'often', '--image=x', '--schedule=*/5 * * * *', '--', 'date']],
    ['role.rbac.authorization.k8s.io/reader', ['role', 'reader', '--verb=get,list', '--resource=pods']],
    [
      'clusterrole.rbac.authorization.k8s.io/probe',
      ['clusterrole', 'probe', '--verb=get', '--non-resource-url=/healthz'],
    ],
    ['rolebinding.rbac.authorization.k8s.io/reads', ['rolebinding', 'reads', '--role=reader', '--user=me']],
    [
      'clusterrolebinding.rbac.authorization.k8s.io/probes',
      ['clusterrolebinding', 'probes', '--clusterrole=probe', '--serviceaccount=typed:bot'],
    ],
    ['serviceaccount/bot', ['serviceaccount', 'bot']],
    ['service/plain', ['service', 'clusterip', 'plain', '--tcp=80:8080']],
    ['service/far', ['service', 'externalname', 'far', '--external-name=example.com']],
    ['resourcequota/few', ['quota', 'few', '--hard=services=50,secrets=50']],
    ['poddisruptionbudget.policy/half', ['pdb', 'half', '--selector=app=x', '--min-available=50%']],
    ['priorityclass.scheduling.k8s.io/late', ['priorityclass', 'late', '--value=-10', '--preemption-policy=Never']],
    ['ingress.networking.k8s.io/door', ['ingress', 'door', '--rule=example.com/*=plain:80']],
  ])('%s', async (name, args) => {
    expect(await kubectl(['create', ...args])).toBe(`${name} created\n`);
    expect(await kubectl(['get', name, '-o', 'name'])).toBe(`${name}\n`);
  });

  it('configmap keeps text and bytes as they are', async () => {
    await kubectl(['create', 'configmap', 'settings', '--from-literal=text=naïve ✓', '--from-literal=empty=']);
    expect(await get('configmap/settings')).toMatchObject({ data: { text: 'naïve ✓', empty: '' } });
    const bytes = Buffer.from([0, 1, 0xff, 0xfe, 0x80]);
    const folder = await mkdtemp(join(tmpdir(), 'coxswain-bytes-'));
    try {
      await writeFile(join(folder, 'raw'), bytes);
      await kubectl(['create', 'configmap', 'raw', `--from-file=${folder}`]);
      await kubectl(['create', 'secret', 'generic', 'raw', `--from-file=${folder}`]);
    } finally {
      await rm(folder, { recursive: true });
    }
    expect(await get('configmap/raw')).toMatchObject({ binaryData: { raw: bytes.toString('base64') } });
    expect(await get('secret/raw')).toMatchObject({ data: { raw: bytes.toString('base64') } });
  });

  it('deployment gets its defaults and its pods', async () => {
    expect(await kubectl(['create', 'deployment', 'web', '--image=web:1', '--replicas=2', '--port=80'])).toBe(
      'deployment.apps/web created\n',
    );
    expect(await kubectl(['rollout', 'status', 'deployment/web', '--timeout=30s'])).toMatch(/successfully rolled out/);
    expect(await get('deployment/web')).toMatchObject({
      spec: {
        replicas: 2,
        strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
        template: {
          spec: { containers: [{ name: 'web', ports: [{ containerPort: 80, protocol: 'TCP' }], resources: {} }] },
        },
      },
    });
    await kubectl(['create', 'deployment', 'none', '--image=x', '--replicas=0']);
    expect(await get('deployment/none')).toMatchObject({ spec: { replicas: 0 } });
  });

  it('says what is wrong in the words of the server', async () => {
    const said = async (...args: string[]) => (await kubectl.try(['create', ...args])).stderr;
    expect(await said('configmap', 'kube-root-ca.crt')).toBe(
      'error: failed to create configmap: configmaps "kube-root-ca.crt" already exists\n',
    );
    expect(await said('deployment', 'Bad_Name', '--image=x')).toMatch(
      /Deployment\.apps "Bad_Name" is invalid: metadata\.name: Invalid value: "Bad_Name"/,
    );
    expect(await said('secret', 'generic', 'x', '-n', 'nowhere')).toMatch(/namespaces "nowhere" not found/);
  });

  it('a dry run leaves nothing', async () => {
    await kubectl(['create', 'configmap', 'ghost', '--dry-run=server']);
    expect((await kubectl.try(['get', 'configmap', 'ghost'])).stderr).toMatch(/"ghost" not found/);
  });
});

describe('kubectl auth', () => {
  it('whoami names the user and the groups', async () => {
    const text = await kubectl(['auth', 'whoami']);
    expect(text).toMatch(/Username\s+kubernetes-admin/);
    expect(text).toMatch(/Groups\s+\[system:masters system:authenticated\]/);
  });

  it('can-i asks, and lists', async () => {
    expect(await kubectl(['auth', 'can-i', 'create', 'deployments.apps'])).toBe('yes\n');
    expect(await kubectl(['auth', 'can-i', '--list'])).toMatch(/\*\.\*\s+\[\]\s+\[\]\s+\[\*\]/);
  });
});

describe('kubectl describe', () => {
  it.each([
    [
      'deployment/web',
      [
        /Replicas:\s+2 desired \| 2 updated/,
        /RollingUpdateStrategy:\s+25% max unavailable, 25% max surge/,
        /ScalingReplicaSet/,
      ],
    ],
    ['configmap/settings', [/text:\n----\nnaïve ✓/]],
    ['secret/key', [/password:\s+1 bytes/]],
    ['service/plain', [/TargetPort:\s+8080\/TCP/]],
    ['job/once', [/Completions:\s+1/, /Command:\n\s+echo\n\s+hi/]],
    ['cronjob/often', [/Schedule:\s+\*\/5 \* \* \* \*/]],
    ['role/reader', [/pods\s+\[\]\s+\[\]\s+\[get list\]/]],
    ['pdb/half', [/Min available:\s+50%/]],
    ['ingress/door', [/example\.com/, /plain:80/]],
    ['namespace/typed', [/Status:\s+Active/]],
    ['node/node-1', [/Capacity:\n\s+cpu:/, /Ready\s+True/]],
  ])('%s', async (name, patterns) => {
    const text = await kubectl(['describe', name]);
    for (const pattern of patterns) expect(text).toMatch(pattern);
  });

  it('pods show containers, conditions and events', async () => {
    const text = await kubectl(['describe', 'pods', '-l', 'app=web']);
    expect(text).toMatch(/Controlled By:\s+ReplicaSet\/web-/);
    expect(text).toMatch(/State:\s+Running/);
    expect(text).toMatch(/Successfully assigned typed\/web-/);
  });
});

describe('other typed commands', () => {
  it('run, expose, autoscale and set image', async () => {
    expect(await kubectl(['run', 'one', '--image=x', '--labels=a=b'])).toBe('pod/one created\n');
    expect(await kubectl(['expose', 'deployment', 'web', '--port=80'])).toBe('service/web exposed\n');
    expect(await kubectl(['autoscale', 'deployment', 'web', '--min=1', '--max=3'])).toMatch(/web autoscaled/);
    expect(await kubectl(['set', 'image', 'deployment/web', 'web=web:2'])).toBe('deployment.apps/web image updated\n');
    expect(await kubectl(['rollout', 'history', 'deployment/web'])).toMatch(/^2\s/m);
    expect(await kubectl(['rollout', 'undo', 'deployment/web'])).toMatch(/rolled back/);
  });

  it('cordon and drain move pods away', async () => {
    expect(await kubectl(['cordon', 'node-2'])).toBe('node/node-2 cordoned\n');
    await kubectl(['drain', 'node-2', '--ignore-daemonsets', '--force', '--grace-period=0', '--timeout=30s']);
    expect(
      await kubectl(['get', 'pods', '--field-selector', 'spec.nodeName=node-2,status.phase=Running', '-o', 'name']),
    ).toBe('');
    expect(await kubectl(['uncordon', 'node-2'])).toBe('node/node-2 uncordoned\n');
  });

  it('events are listed', async () => {
    expect(await kubectl(['events', '--for', 'deployment/web'])).toMatch(
      /Normal\s+ScalingReplicaSet\s+Deployment\/web/,
    );
  });
});
