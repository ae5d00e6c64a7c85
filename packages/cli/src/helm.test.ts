/** The real Helm 3 and 4 against an embedded cluster: a chart with a CRD, a hook and a Deployment through its whole life. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Cluster, type ClusterProgram, helmFor, kubectlFor, startCluster } from '@coxswain/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const chart: Readonly<Record<string, string>> = {
  'Chart.yaml': 'apiVersion: v2\nname: demo\nversion: 0.1.0\nappVersion: "1.0"\n',
  'values.yaml': 'replicas: 1\nimage: app:1\ncolor: blue\n',
  'crds/widgets.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.demo.test}
spec:
  group: demo.test
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {color: {type: string}}}}
`,
  'templates/widget.yaml': `apiVersion: demo.test/v1
kind: Widget
metadata: {name: "{{ .Release.Name }}"}
spec: {color: "{{ .Values.color }}"}
`,
  'templates/deployment.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}"}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: "{{ .Release.Name }}"}}
  template:
    metadata: {labels: {app: "{{ .Release.Name }}"}}
    spec: {containers: [{name: main, image: "{{ .Values.image }}"}]}
`,
  'templates/service.yaml': `apiVersion: v1
kind: Service
metadata: {name: "{{ .Release.Name }}"}
spec: {selector: {app: "{{ .Release.Name }}"}, ports: [{port: 80}]}
`,
  'templates/hook.yaml': `apiVersion: batch/v1
kind: Job
metadata:
  name: "{{ .Release.Name }}-migrate"
  annotations: {helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: before-hook-creation}
spec:
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox, command: ["true"]}]}}
`,
};

let cluster: Cluster;
let helm: ClusterProgram;
let kubectl: ClusterProgram;
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coxswain-chart-'));
  for (const [name, text] of Object.entries(chart)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
});

afterAll(() => rm(dir, { recursive: true, force: true }));

const json = async (args: readonly string[]) => JSON.parse(await kubectl([...args, '-o', 'json']));

// Helm 4 applies on the server, where fields have owners; Helm 3 patches with what it knows of the last release.
describe.each([3, 4] as const)('helm %i', (major) => {
  const force = major === 4 ? ['--force-conflicts'] : [];

  beforeAll(async () => {
    cluster = await startCluster({ port: 0 });
    helm = await helmFor(cluster.kubeconfig(), major);
    kubectl = await kubectlFor(cluster.kubeconfig());
  });

  afterAll(async () => {
    await helm?.[Symbol.asyncDispose]();
    await kubectl?.[Symbol.asyncDispose]();
    await cluster?.stop();
  });

  it('is the one that is meant', async () => {
    expect(await helm(['version', '--template', '{{ .Version }}'])).toMatch(new RegExp(`^v${major}\\.`));
  });

  it('install --wait brings CRD, hook and workload up', async () => {
    expect(await helm(['install', 'web', dir, '--wait', '--timeout', '60s'])).toMatch(/STATUS: deployed\nREVISION: 1/);
    expect((await json(['get', 'widget', 'web'])).spec).toEqual({ color: 'blue' });
    expect((await json(['get', 'job', 'web-migrate'])).status.succeeded).toBe(1);
    expect((await json(['get', 'deployment', 'web'])).status.readyReplicas).toBe(1);
  });

  it('list and status know the release', async () => {
    expect(JSON.parse(await helm(['list', '-o', 'json']))).toMatchObject([
      { name: 'web', revision: '1', status: 'deployed', chart: 'demo-0.1.0' },
    ]);
    expect(await helm(['status', 'web'])).toMatch(/STATUS: deployed/);
  });

  it('upgrade changes what the values say', async () => {
    await helm(['upgrade', 'web', dir, '--set', 'replicas=3,color=red', '--wait', '--timeout', '60s']);
    expect((await json(['get', 'deployment', 'web'])).status.readyReplicas).toBe(3);
    expect((await json(['get', 'widget', 'web'])).spec).toEqual({ color: 'red' });
  });

  it('an upgrade meets what kubectl changed meanwhile', async () => {
    await kubectl(['scale', 'deployment', 'web', '--replicas', '5']);
    const upgrade = ['upgrade', 'web', dir, '--set', 'replicas=2', '--wait', '--timeout', '60s'];
    if (major === 4) {
      const { code, stderr } = await helm.try(upgrade);
      expect(code).toBe(1);
      expect(stderr).toMatch(/conflict with "kubectl".*\.spec\.replicas/);
    }
    await helm([...upgrade, ...force]);
    expect((await json(['get', 'deployment', 'web'])).spec.replicas).toBe(2);
  });

  it('rollback goes back, history tells', async () => {
    await helm(['rollback', 'web', '1', ...force, '--wait', '--timeout', '60s']);
    expect((await json(['get', 'deployment', 'web'])).spec.replicas).toBe(1);
    expect(JSON.parse(await helm(['history', 'web', '-o', 'json'])).at(-1)).toMatchObject({
      status: 'deployed',
      description: 'Rollback to 1',
    });
  });

  it('uninstall takes the release away and leaves the CRD', async () => {
    await helm(['uninstall', 'web', '--wait', '--timeout', '60s']);
    expect(await kubectl(['get', 'deployment,replicaset,service,widget', '-o', 'name'])).toBe('service/kubernetes\n');
    expect(await kubectl(['get', 'crd', 'widgets.demo.test', '-o', 'name'])).toMatch(/widgets\.demo\.test/);
  });
});
