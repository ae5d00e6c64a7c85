import type { PodTemplateSpec } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import type { BucketClaim } from '../api/index.ts';
import { cleanJob } from './clean-job.ts';

const template = {
  metadata: { annotations: { 'matrixorigin.io/config-suffix': '3f26204' }, labels: { app: 'log' } },
  spec: {
    initContainers: [{ name: 'first', image: 'busybox' }],
    containers: [
      {
        name: 'main',
        image: 'matrixorigin/matrixone:2.1.0',
        command: ['/bin/sh', '/etc/logservice/start.sh'],
        args: ['-debug-http=:6060'],
        env: [{ name: 'AWS_REGION', value: 'us-west-2' }],
        resources: { requests: { memory: '64Gi' } },
        livenessProbe: { tcpSocket: { port: 32001 } },
        lifecycle: { preStop: { exec: { command: ['sync'] } } },
        volumeMounts: [
          { name: 'mo-data', mountPath: '/var/lib/matrixone' },
          { name: 's3-ssl', mountPath: '/etc/s3-ssl', readOnly: true },
        ],
      },
      { name: 'sidecar', image: 'busybox' },
    ],
    volumes: [
      { name: 'config', configMap: { name: 'mo-log-config' } },
      { name: 's3-ssl', secret: { secretName: 'ca' } },
    ],
    readinessGates: [{ conditionType: 'InPlaceUpdateReady' }],
    nodeSelector: { disk: 'ssd' },
    serviceAccountName: 'lake',
  },
} satisfies PodTemplateSpec;

test('the cleaning pod gets to the data as a log store does, and has nothing else of one', () => {
  const claim = {
    metadata: { namespace: 'prod', name: 'bucket-1' },
    spec: { s3: { path: 'lake/prod', certificateRef: { name: 'ca', files: ['ca.pem'] } }, logSetSpec: template },
  } as unknown as BucketClaim;
  const { metadata, spec } = cleanJob(claim);
  expect([metadata.namespace, metadata.name, spec?.parallelism, spec?.completions]).toEqual([
    'prod',
    'job-bucket-1',
    1,
    1,
  ]);
  expect(spec?.template.metadata).toEqual({ annotations: template.metadata.annotations });
  const { containers, volumes, ...pod } = spec?.template.spec ?? {};
  expect(pod).toEqual({
    restartPolicy: 'OnFailure',
    readinessGates: template.spec.readinessGates,
    nodeSelector: { disk: 'ssd' },
    serviceAccountName: 'lake',
  });
  expect(containers).toEqual([
    {
      name: 'main',
      image: 'amazon/aws-cli',
      command: ['/bin/sh', '/etc/aws-cli-config/start.sh'],
      env: template.spec.containers[0]?.env,
      volumeMounts: [
        { name: 'aws-cli-config', mountPath: '/etc/aws-cli-config' },
        { name: 's3-ssl', mountPath: '/etc/s3-ssl', readOnly: true },
      ],
      terminationMessagePolicy: 'FallbackToLogsOnError',
    },
  ]);
  expect(volumes).toEqual([
    { name: 'aws-cli-config', configMap: { name: 'cm-bucket-1', defaultMode: 0o644 } },
    { name: 's3-ssl', secret: { secretName: 'ca' } },
  ]);
});

test('elsewhere it refers to nothing but what is brought along, and asks for no privileges', () => {
  const secretKeyRef = (name: string, key: string) => ({ valueFrom: { secretKeyRef: { name, key } } });
  const [main] = template.spec.containers;
  const env = [
    { name: 'AWS_REGION', value: 'us-west-2' },
    { name: 'AWS_ACCESS_KEY_ID', ...secretKeyRef('keys', 'AWS_ACCESS_KEY_ID') },
    { name: 'LICENCE', ...secretKeyRef('other', 'text') },
  ];
  const containers = [{ ...main, env, envFrom: [{ configMapRef: { name: 'settings' } }] }];
  const spec = { ...template.spec, containers, imagePullSecrets: [{ name: 'registry' }] };
  const claim = {
    metadata: { namespace: 'prod', name: 'bucket-1' },
    spec: {
      s3: { path: 'lake/prod', certificateRef: { name: 'ca', files: ['ca.pem'] } },
      logSetSpec: { ...template, spec },
    },
  } as unknown as BucketClaim;
  const job = cleanJob(claim, 'aws', { elsewhere: 'operators', secret: 'all' });
  expect([job.metadata.namespace, job.spec?.activeDeadlineSeconds]).toEqual(['operators', 3_600]);
  const { containers: [container] = [], volumes, ...pod } = job.spec?.template.spec ?? {};
  expect(pod).toEqual({
    restartPolicy: 'OnFailure',
    nodeSelector: { disk: 'ssd' },
    automountServiceAccountToken: false,
    securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
  });
  expect(container).not.toHaveProperty('envFrom');
  expect(container).toMatchObject({
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    env: [env[0], { name: 'AWS_ACCESS_KEY_ID', ...secretKeyRef('all', 'keys.AWS_ACCESS_KEY_ID') }],
  });
  expect(container?.env?.length).toBe(2);
  expect(volumes?.[1]).toEqual({
    name: 's3-ssl',
    secret: { secretName: 'all', items: [{ key: 'ca.ca.pem', path: 'ca.pem' }] },
  });
});

test('elsewhere it brings no privilege along, whatever the template asks for', () => {
  const [main] = template.spec.containers;
  const env = [
    { name: 'AWS_REGION', value: 'us-west-2' },
    { name: 'https_proxy', value: 'http://proxy:3128' },
    { name: 'BASH_FUNC_aws%%', value: '() { id; }' },
    { name: 'LD_PRELOAD', value: '/tmp/own.so' },
  ];
  const privileged = { privileged: true, allowPrivilegeEscalation: true, capabilities: { add: ['SYS_ADMIN'] } };
  const spec = {
    ...template.spec,
    containers: [{ ...main, env, securityContext: { ...privileged, runAsUser: 1000 } }],
    hostNetwork: true,
    hostPID: true,
    hostIPC: true,
    nodeName: 'control-plane',
    priorityClassName: 'system-node-critical',
    serviceAccount: 'matrixone-operator',
    runtimeClassName: 'own',
    securityContext: { fsGroup: 2000, sysctls: [{ name: 'kernel.msgmax', value: '1' }], supplementalGroups: [0] },
  };
  const claim = {
    metadata: { namespace: 'prod', name: 'bucket-1' },
    spec: { s3: { path: 'lake/prod' }, logSetSpec: { ...template, spec } },
  } as unknown as BucketClaim;
  const job = cleanJob(claim, 'aws', { elsewhere: 'operators', secret: 'all' });
  const { containers: [container] = [], volumes: _volumes, ...pod } = job.spec?.template.spec ?? {};
  expect(pod).toEqual({
    restartPolicy: 'OnFailure',
    nodeSelector: { disk: 'ssd' },
    automountServiceAccountToken: false,
    securityContext: { fsGroup: 2000, seccompProfile: { type: 'RuntimeDefault' } },
  });
  expect(container?.securityContext).toEqual({
    runAsUser: 1000,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  });
  expect(container?.env).toEqual(env.slice(0, 2));
});

test('elsewhere no program of the template’s author runs, and nobody reads what he notes on his pods', () => {
  const [main] = template.spec.containers;
  const env = [
    { name: 'AWS_REGION', value: 'us-west-2' },
    // May name programs that `aws` runs for credentials.
    { name: 'AWS_CONFIG_FILE', value: '/etc/s3-ssl/ca.pem' },
    { name: 'AWS_SHARED_CREDENTIALS_FILE', value: '/etc/s3-ssl/ca.pem' },
    { name: 'AWS_DATA_PATH', value: '/etc/s3-ssl' },
  ];
  const volumeMounts = [
    { name: 's3-ssl', mountPath: '/etc/aws-cli-config/start.sh', subPath: 'ca.pem' },
    { name: 's3-ssl', mountPath: '/usr/lib/python3' },
  ];
  const annotations = { 'sidecar.istio.io/userVolume': '[{"name":"own","secret":{"secretName":"operator"}}]' };
  const spec = { ...template.spec, containers: [{ ...main, env, volumeMounts }] };
  const claim = {
    metadata: { namespace: 'prod', name: 'bucket-1' },
    spec: {
      s3: { path: 'lake/prod', certificateRef: { name: 'ca', files: ['ca.pem'] } },
      logSetSpec: { metadata: { annotations }, spec },
    },
  } as unknown as BucketClaim;
  const { metadata, spec: pod } =
    cleanJob(claim, 'aws', { elsewhere: 'operators', secret: 'all' }).spec?.template ?? {};
  expect(metadata).toEqual({});
  expect(pod?.containers[0]?.env).toEqual([env[0]]);
  expect(pod?.containers[0]?.volumeMounts).toEqual([
    { name: 'aws-cli-config', mountPath: '/etc/aws-cli-config' },
    { name: 's3-ssl', mountPath: '/etc/s3-ssl', readOnly: true },
  ]);
});
