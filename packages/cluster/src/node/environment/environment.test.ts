import {
  ConfigMap,
  type Container,
  type EnvVar,
  type Kind,
  type KubeObject,
  type Pod,
  Secret,
  type Service,
} from '@coxswain/k8s';
import { expect, test } from 'vitest';
import type { FindObject } from '../find-object.ts';
import { containerEnvironment, type EnvironmentSources } from './container-environment.ts';
import { envFileValue } from './env-file.ts';
import { expand } from './expand.ts';
import { missingEnvironment } from './missing.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const objects = new Map<Kind, readonly KubeObject[]>([
  [ConfigMap, [{ metadata: { name: 'settings' }, data: { color: 'red', 'file.conf': 'x=1' } } as ConfigMap]],
  [Secret, [{ metadata: { name: 'password' }, data: { word: base64('hush') } } as Secret]],
]);
const find: FindObject = async (kind, key) =>
  objects.get(kind)?.find(({ metadata }) => metadata.name === key.name) as never;

function service(name: string, spec: object, namespace = 'team'): Service {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec };
}

const sources: EnvironmentSources = {
  find,
  services: [],
  node: { metadata: { name: 'n' }, status: { allocatable: { cpu: '8', memory: '16Gi' } } } as never,
  addresses: { podIPs: ['10.0.0.7', 'fd00::7'], hostIPs: ['192.168.0.1'] },
};

function pod(container: Partial<Container>, spec: object = {}): { readonly pod: Pod; readonly container: Container } {
  const whole: Container = { name: 'main', ...container };
  const metadata = { name: 'web', namespace: 'team', uid: 'u-1', labels: { app: 'web' } };
  const more = { nodeName: 'n', serviceAccountName: 'robot', containers: [whole], ...spec };
  return { container: whole, pod: { apiVersion: 'v1', kind: 'Pod', metadata, spec: more } };
}

function environment(
  container: Partial<Container>,
  { spec = {}, ...more }: { readonly spec?: object } & Partial<EnvironmentSources> = {},
) {
  const made = pod(container, spec);
  return containerEnvironment(made.pod, made.container, { ...sources, ...more });
}

const from = (name: string, valueFrom: EnvVar['valueFrom']): EnvVar => ({ name, ...(valueFrom ? { valueFrom } : {}) });

test('references are replaced in the order of the variables; what is not there stays', async () => {
  const { env, command, args } = await environment({
    env: [
      { name: 'A', value: 'a' },
      { name: 'B', value: '$(A)b $(C) $$(A)' },
      { name: 'C', value: '$(B)' },
      { name: 'A', value: '$(A)2' },
      { name: 'EMPTY' },
    ],
    command: ['run', '$(A)'],
    args: ['--c=$(C)', '$(NONE)', '$', '$x', '$(open'],
  });
  expect(env).toEqual({ A: 'a2', B: 'ab $(C) $(A)', C: 'ab $(C) $(A)', EMPTY: '' });
  expect(command).toEqual(['run', 'a2']);
  expect(args).toEqual(['--c=ab $(C) $(A)', '$(NONE)', '$', '$x', '$(open']);
});

test('without a command of its own a container has that of its image', async () => {
  expect(await environment({})).toEqual({ env: {} });
});

test.each([
  ['$$$$(A)', '$$(A)'],
  ['$$$(A)', '$1'],
  ['$(A)$(A)', '11'],
  ['$()', '$()'],
  ['$((A)', '$((A)'],
  ['$(A$(A)', '$(A$(A)'],
])('%s becomes %s', (text, expected) => {
  expect(expand(text, (name) => (name === 'A' ? '1' : undefined))).toBe(expected);
});

test('whole ConfigMaps and Secrets, with a prefix; single variables win', async () => {
  const { env } = await environment({
    envFrom: [
      { configMapRef: { name: 'settings' } },
      { prefix: 'S_', secretRef: { name: 'password' } },
      { configMapRef: { name: 'none', optional: true } },
    ],
    env: [{ name: 'color', value: 'not $(color)' }],
  });
  expect(env).toEqual({ color: 'not red', 'file.conf': 'x=1', S_word: 'hush' });
});

test('keys of ConfigMaps and Secrets; what is optional may be missing', async () => {
  const { env } = await environment({
    env: [
      from('COLOR', { configMapKeyRef: { name: 'settings', key: 'color' } }),
      from('WORD', { secretKeyRef: { name: 'password', key: 'word' } }),
      from('KEY', { secretKeyRef: { name: 'password', key: 'none', optional: true } }),
      from('MAP', { configMapKeyRef: { name: 'none', key: 'none', optional: true } }),
    ],
  });
  expect(env).toEqual({ COLOR: 'red', WORD: 'hush' });
});

test.each<[string, Partial<Container>]>([
  ['configmap "none" not found', { envFrom: [{ configMapRef: { name: 'none' } }] }],
  ['secret "none" not found', { env: [from('A', { secretKeyRef: { name: 'none', key: 'x' } })] }],
  [
    "couldn't find key x in ConfigMap team/settings",
    { env: [from('A', { configMapKeyRef: { name: 'settings', key: 'x' } })] },
  ],
  [
    "couldn't find key x in Secret team/password",
    { env: [from('A', { secretKeyRef: { name: 'password', key: 'x' } })] },
  ],
])('%s', async (message, container) => {
  await expect(environment(container)).rejects.toMatchObject({ reason: 'CreateContainerConfigError', message });
  const made = pod(container);
  expect(await missingEnvironment(made.pod, made.container, find)).toBe(message);
});

test('fields and resources of the pod', async () => {
  const field = (name: string, fieldPath: string) => from(name, { fieldRef: { fieldPath } });
  const resource = (name: string, text: string, divisor?: string) =>
    from(name, { resourceFieldRef: { resource: text, ...(divisor ? { divisor } : {}) } });
  const { env } = await environment({
    resources: { limits: { cpu: '1500m' }, requests: { memory: '100Mi' } },
    env: [
      field('NAME', 'metadata.name'),
      field('NAMESPACE', 'metadata.namespace'),
      field('UID', 'metadata.uid'),
      field('APP', "metadata.labels['app']"),
      field('NONE', "metadata.annotations['none']"),
      field('NODE', 'spec.nodeName'),
      field('ACCOUNT', 'spec.serviceAccountName'),
      field('IP', 'status.podIP'),
      field('IPS', 'status.podIPs'),
      field('HOST', 'status.hostIP'),
      field('HOSTS', 'status.hostIPs'),
      resource('CPU', 'limits.cpu'),
      resource('MILLIS', 'limits.cpu', '1m'),
      resource('MEMORY', 'limits.memory', '1Gi'),
      resource('ASKED', 'requests.memory', '1Mi'),
      resource('DISK', 'requests.ephemeral-storage'),
    ],
  });
  expect(env).toEqual({
    NAME: 'web',
    NAMESPACE: 'team',
    UID: 'u-1',
    APP: 'web',
    NONE: '',
    NODE: 'n',
    ACCOUNT: 'robot',
    IP: '10.0.0.7',
    IPS: '10.0.0.7,fd00::7',
    HOST: '192.168.0.1',
    HOSTS: '192.168.0.1',
    CPU: '2',
    MILLIS: '1500',
    MEMORY: '16',
    ASKED: '100',
    DISK: '0',
  });
});

test('limits of the whole pod come before what the node has', async () => {
  const env = [from('CPU', { resourceFieldRef: { resource: 'limits.cpu' } })];
  expect((await environment({ env }, { spec: { resources: { limits: { cpu: '3' } } } })).env).toEqual({ CPU: '3' });
});

const services = [
  service('kubernetes', { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, protocol: 'TCP' }] }, 'default'),
  service('my-db', { clusterIP: '10.96.0.9', ports: [{ port: 5432 }, { name: 'udp-x', port: 53, protocol: 'UDP' }] }),
  service('headless', { clusterIP: 'None', ports: [{ port: 1 }] }),
  service('elsewhere', { clusterIP: '10.96.0.8', ports: [{ port: 1 }] }, 'other'),
  service('named', { type: 'ExternalName', externalName: 'example.com' }),
];
const master = {
  KUBERNETES_SERVICE_HOST: '10.96.0.1',
  KUBERNETES_SERVICE_PORT: '443',
  KUBERNETES_SERVICE_PORT_HTTPS: '443',
  KUBERNETES_PORT: 'tcp://10.96.0.1:443',
  KUBERNETES_PORT_443_TCP: 'tcp://10.96.0.1:443',
  KUBERNETES_PORT_443_TCP_PROTO: 'tcp',
  KUBERNETES_PORT_443_TCP_PORT: '443',
  KUBERNETES_PORT_443_TCP_ADDR: '10.96.0.1',
};

test('Services of the namespace and the API server are variables, and may be referred to', async () => {
  const { env } = await environment({ env: [{ name: 'DB', value: '$(MY_DB_SERVICE_HOST):1' }] }, { services });
  expect(env).toEqual({
    ...master,
    MY_DB_SERVICE_HOST: '10.96.0.9',
    MY_DB_SERVICE_PORT: '5432',
    MY_DB_SERVICE_PORT_UDP_X: '53',
    MY_DB_PORT: 'tcp://10.96.0.9:5432',
    MY_DB_PORT_5432_TCP: 'tcp://10.96.0.9:5432',
    MY_DB_PORT_5432_TCP_PROTO: 'tcp',
    MY_DB_PORT_5432_TCP_PORT: '5432',
    MY_DB_PORT_5432_TCP_ADDR: '10.96.0.9',
    MY_DB_PORT_53_UDP: 'udp://10.96.0.9:53',
    MY_DB_PORT_53_UDP_PROTO: 'udp',
    MY_DB_PORT_53_UDP_PORT: '53',
    MY_DB_PORT_53_UDP_ADDR: '10.96.0.9',
    DB: '10.96.0.9:1',
  });
  expect((await environment({}, { services, spec: { enableServiceLinks: false } })).env).toEqual(master);
});

test('a variable of a file', async () => {
  const fileKeyRef = { volumeName: 'shared', path: 'db.env', key: 'URL' };
  const file = (text: string | undefined) => async (volume: string, path: string) =>
    volume === 'shared' && path === 'db.env' && text !== undefined ? new TextEncoder().encode(text) : undefined;
  const env = [from('URL', { fileKeyRef })];
  expect((await environment({ env }, { readVolumeFile: file("URL='db:1'\n") })).env).toEqual({ URL: 'db:1' });
  await expect(environment({ env }, { readVolumeFile: file(undefined) })).rejects.toThrow("couldn't parse env file");
  await expect(environment({ env }, { readVolumeFile: file("OTHER='x'") })).rejects.toThrow(
    'environment variable key "URL" not found in file "db.env"',
  );
  await expect(environment({ env })).rejects.toThrow('variables of files are not supported here');
  const optional = [from('URL', { fileKeyRef: { ...fileKeyRef, optional: true } })];
  expect((await environment({ env: optional }, { readVolumeFile: file('') })).env).toEqual({});
});

test.each<[string, string | undefined]>([
  ["A='1'\nKEY='2'", '2'],
  ["# KEY='0'\n\n  KEY='a#b' # why", 'a#b'],
  ["A='x\nKEY=1'\nKEY='over\nlines'\n", 'over\nlines'],
  ["KEY= 'x'", ''],
  ["KEY=''", ''],
  ['', ''],
  ["KEY ='x'", undefined],
  ['KEY=x', undefined],
  ['KEY="x"', undefined],
  ['no assignment', undefined],
  ["KEY='open", undefined],
  ["KEY='x' y", undefined],
  ["='x'", undefined],
])('the file %j says %j', (text, value) => {
  expect(envFileValue(text, 'KEY')).toBe(value);
});
