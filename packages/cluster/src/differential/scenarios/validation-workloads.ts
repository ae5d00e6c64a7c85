import { core, group } from '../build.ts';
import type { Area } from '../types.ts';
import { each, type Mutation, mutations, type Valid, without } from './mutations.ts';

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'm', image: 'i' }] } };
const selector = { matchLabels: { app: 'a' } };
const once = { spec: { restartPolicy: 'Never', containers: [{ name: 'm', image: 'i' }] } };

const apps = (kind: string, plural: string, spec: object = {}): Valid => ({
  apiVersion: 'apps/v1',
  kind,
  path: group('apps/v1', plural),
  body: { spec: { selector, template, ...spec } },
});

/** What every kind with a selector and a template refuses. */
const common: readonly Mutation[] = [
  ...without('spec', 'spec.selector', 'spec.template', 'spec.template.spec', 'spec.template.metadata'),
  ...each(
    'spec.selector',
    {},
    { matchLabels: { app: 'b' } },
    { matchLabels: { 'bad key': 'x' } },
    { matchExpressions: [{ key: 'app', operator: 'x' }] },
    { matchExpressions: [{ key: 'app', operator: 'In', values: ['bad value!'] }] },
    { matchExpressions: [{ key: '', operator: 'Exists', values: ['a'] }] },
  ),
  ...each('spec.replicas', -1),
  ...each('spec.minReadySeconds', -1),
  ...each('spec.revisionHistoryLimit', -1),
  ...each('spec.template.metadata.labels', { other: 'x' }, { app: 'bad value!' }),
  ...each('spec.template.metadata.name', 'Bad_'),
  ...each('spec.template.metadata.annotations', { 'bad key': 'x' }),
  ...each('spec.template.spec.restartPolicy', 'Never', 'OnFailure', 'x'),
  ...each('spec.template.spec.activeDeadlineSeconds', 5),
  ...each('spec.template.spec.containers', []),
  ...each('spec.template.spec.containers.0.image', ''),
  ...each('spec.template.spec.ephemeralContainers', [{ name: 'e', image: 'i' }]),
  ...each('spec.template.spec.volumes', [{ name: 'v', secret: {} }]),
  ...each('metadata.name', 'Bad_', 'a.b', 'a'.repeat(64)),
];

const rolling = (path: string, ...values: readonly object[]): Mutation[] =>
  values.map((rollingUpdate) => ({ [path]: { type: 'RollingUpdate', rollingUpdate } }));

const fixed: readonly Mutation[] = [
  ...each('spec.selector', { matchLabels: { app: 'b' } }, { matchLabels: { app: 'a', b: 'c' } }, undefined),
  ...each('spec.replicas', 3, -1),
  ...each('spec.template.spec.containers.0.image', 'j', ''),
  ...each('metadata.labels', { a: 'b' }),
];

const job: Valid = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  path: group('batch/v1', 'jobs'),
  body: { spec: { template: once } },
};
const indexed: Valid = {
  ...job,
  name: 'indexed',
  body: { spec: { template: once, completionMode: 'Indexed', completions: 2, parallelism: 2 } },
};
const suspended: Valid = { ...job, name: 'suspended', body: { spec: { template: once, suspend: true } } };
const failure = (rule: object): Mutation => ({ 'spec.podFailurePolicy': { rules: [rule] } });
const success = (...rules: readonly object[]): Mutation => ({
  'spec.completionMode': 'Indexed',
  'spec.completions': 5,
  'spec.successPolicy': { rules },
});
const cron: Valid = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  path: group('batch/v1', 'cronjobs'),
  body: { spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: once } } } },
};

const claim = (more: object) => ({
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
});

export const validationWorkloads: Area = {
  name: 'validation-workloads',
  scenarios: [
    mutations('deployments', apps('Deployment', 'deployments'), {
      create: [
        ...common,
        ...each('spec.progressDeadlineSeconds', -1, 0),
        { 'spec.progressDeadlineSeconds': 5, 'spec.minReadySeconds': 5 },
        ...each(
          'spec.strategy',
          { type: 'x' },
          { type: '' },
          { type: 'Recreate', rollingUpdate: {} },
          { type: 'OnDelete' },
        ),
        ...rolling(
          'spec.strategy',
          { maxSurge: -1 },
          { maxSurge: '-1%' },
          { maxSurge: '5' },
          { maxUnavailable: '101%' },
          { maxUnavailable: 'x' },
          { maxSurge: 0, maxUnavailable: 0 },
          { maxSurge: '0%', maxUnavailable: '0%' },
          { maxSurge: '200%' },
        ),
        ...each('spec.paused', true),
      ],
      update: [
        ...fixed,
        ...each('spec.strategy', { type: 'Recreate' }, { type: 'x' }),
        ...each('metadata.resourceVersion', '', '1', 'x'),
      ],
      status: [
        ...each('status.replicas', -1, 3),
        { 'status.replicas': 1, 'status.readyReplicas': 2 },
        { 'status.replicas': 1, 'status.readyReplicas': 0, 'status.availableReplicas': 1 },
        { 'status.replicas': 1, 'status.updatedReplicas': 2 },
        ...each('status.unavailableReplicas', -1),
        ...each('status.terminatingReplicas', -1),
        ...each('status.observedGeneration', -1),
        ...each('status.collisionCount', -1),
        ...each('metadata.labels', { a: 'b' }),
        ...each('spec.replicas', -1),
        ...each('status.conditions', [{ type: '', status: '' }], [{ type: 'Available', status: 'x' }]),
      ],
    }),
    mutations('replica sets', apps('ReplicaSet', 'replicasets'), {
      create: common,
      update: fixed,
      status: [
        ...each('status.replicas', -1),
        {
          'status.replicas': 1,
          'status.fullyLabeledReplicas': 2,
          'status.readyReplicas': 3,
          'status.availableReplicas': 4,
        },
      ],
    }),
    mutations(
      'stateful sets',
      apps('StatefulSet', 'statefulsets', { serviceName: 's', volumeClaimTemplates: [claim({})] }),
      {
        create: [
          ...common,
          ...each('spec.serviceName', '', undefined, 'Bad_', 'a.b'),
          ...each('spec.podManagementPolicy', 'x', 'Parallel', ''),
          ...each(
            'spec.updateStrategy',
            { type: 'x' },
            { type: '' },
            { type: 'OnDelete', rollingUpdate: {} },
            { type: 'OnDelete', rollingUpdate: { partition: 1 } },
          ),
          ...rolling(
            'spec.updateStrategy',
            { partition: -1 },
            { maxUnavailable: 0 },
            { maxUnavailable: '101%' },
            { maxUnavailable: 'x' },
          ),
          ...each('spec.persistentVolumeClaimRetentionPolicy', { whenDeleted: 'x' }, { whenScaled: 'y' }, {}),
          ...each('spec.ordinals', { start: -1 }, {}),
          ...each(
            'spec.volumeClaimTemplates',
            [claim({ accessModes: [] })],
            [claim({ resources: {} })],
            [claim({ storageClassName: 'Bad_' })],
            [{ spec: claim({}).spec }],
            [claim({}), claim({})],
            [{ metadata: { name: 'Bad_' }, spec: claim({}).spec }],
          ),
          { 'spec.template.spec.containers.0.volumeMounts': [{ name: 'data', mountPath: '/d' }] },
        ],
        update: [
          ...fixed,
          ...each('spec.serviceName', 't'),
          ...each('spec.podManagementPolicy', 'Parallel'),
          ...each(
            'spec.volumeClaimTemplates',
            undefined,
            [claim({ resources: { requests: { storage: '2Gi' } } })],
            [{ ...claim({}), metadata: { name: 'data', labels: { a: 'b' } } }],
          ),
          ...each('spec.updateStrategy', { type: 'OnDelete' }),
          ...each('spec.ordinals', { start: 2 }),
          ...each('spec.minReadySeconds', 3),
          ...each('spec.revisionHistoryLimit', 3),
          ...each('spec.persistentVolumeClaimRetentionPolicy', { whenDeleted: 'Delete', whenScaled: 'Retain' }),
        ],
        status: [
          ...each('status.replicas', -1),
          {
            'status.replicas': 1,
            'status.readyReplicas': 2,
            'status.currentReplicas': 2,
            'status.updatedReplicas': 2,
            'status.availableReplicas': 3,
          },
          ...each('status.collisionCount', -1),
          ...each('status.observedGeneration', -1),
        ],
      },
    ),
    mutations('daemon sets', apps('DaemonSet', 'daemonsets'), {
      create: [
        ...common,
        ...each('spec.updateStrategy', { type: 'x' }, { type: 'OnDelete', rollingUpdate: {} }),
        ...rolling(
          'spec.updateStrategy',
          { maxUnavailable: 0 },
          { maxUnavailable: '101%' },
          { maxSurge: 1 },
          { maxSurge: 1, maxUnavailable: 0 },
          { maxSurge: 1, maxUnavailable: 1 },
          { maxUnavailable: 'x' },
          { maxUnavailable: -1 },
        ),
        ...each('spec.template.spec.volumes', [{ name: 'v', gcePersistentDisk: { pdName: 'x' } }]),
      ],
      update: [...fixed, ...each('spec.updateStrategy', { type: 'OnDelete' }), ...each('spec.templateGeneration', 5)],
      status: [
        ...each('status.currentNumberScheduled', -1),
        ...each('status.numberUnavailable', -1, 1),
        ...each('status.numberMisscheduled', -1),
        ...each('status.desiredNumberScheduled', -1),
        ...each('status.updatedNumberScheduled', -1),
      ],
    }),
    mutations(
      'replication controllers',
      {
        apiVersion: 'v1',
        kind: 'ReplicationController',
        path: core('replicationcontrollers'),
        body: { spec: { selector: { app: 'a' }, template } },
      },
      {
        create: [
          ...without('spec', 'spec.selector', 'spec.template', 'spec.template.spec'),
          ...each('spec.selector', {}, { app: 'b' }, { 'bad key': 'x' }),
          ...each('spec.replicas', -1),
          ...each('spec.minReadySeconds', -1),
          ...each('spec.template.metadata.labels', undefined),
          ...each('spec.template.spec.restartPolicy', 'Never'),
          ...each('spec.template.spec.activeDeadlineSeconds', 5),
        ],
        update: [...each('spec.selector', { app: 'b' }), ...each('spec.replicas', -1, 2)],
        status: [...each('status.replicas', -1), { 'status.replicas': 1, 'status.readyReplicas': 2 }],
      },
    ),
    mutations(
      'controller revisions',
      {
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        path: group('apps/v1', 'controllerrevisions'),
        body: { revision: 1, data: { a: 1 } },
      },
      {
        create: [
          ...without('data', 'revision'),
          ...each('revision', -1),
          ...each('data', 'text', null),
          ...each('metadata.name', 'Bad_'),
        ],
        update: [...each('data', { a: 2 }), ...each('revision', 2, -1)],
      },
    ),
    mutations('jobs', job, {
      create: [
        ...without('spec', 'spec.template', 'spec.template.spec'),
        ...[
          'parallelism',
          'completions',
          'activeDeadlineSeconds',
          'backoffLimit',
          'ttlSecondsAfterFinished',
          'backoffLimitPerIndex',
          'maxFailedIndexes',
        ].flatMap((key) => each(`spec.${key}`, -1, 0, 1)),
        ...each('spec.completionMode', 'x', 'Indexed', ''),
        { 'spec.completionMode': 'Indexed', 'spec.completions': 2_000_000, 'spec.parallelism': 200_000 },
        {
          'spec.completionMode': 'Indexed',
          'spec.completions': 5,
          'spec.maxFailedIndexes': 6,
          'spec.backoffLimitPerIndex': 1,
        },
        { 'spec.completionMode': 'Indexed', 'spec.completions': 5, 'spec.maxFailedIndexes': 1 },
        {
          'spec.completionMode': 'Indexed',
          'spec.completions': 100_001,
          'spec.parallelism': 10_001,
          'spec.backoffLimitPerIndex': 1,
        },
        ...each('spec.manualSelector', true),
        { 'spec.manualSelector': true, 'spec.selector': selector },
        { 'spec.manualSelector': true, 'spec.selector': selector, 'spec.template.metadata.labels': { app: 'a' } },
        ...each('spec.selector', selector),
        ...each('spec.managedBy', 'x', 'a.example/b', 'bad one!', `a/${'b'.repeat(64)}`),
        ...each('spec.podReplacementPolicy', 'x', 'Failed', ''),
        ...each('spec.template.spec.restartPolicy', 'Always', '', 'x', 'OnFailure'),
        ...each('spec.template.spec.containers.0.image', ''),
        ...each('spec.template.metadata.labels', { 'job-name': 'x' }, { 'batch.kubernetes.io/controller-uid': 'x' }),
        failure({ action: 'x' }),
        failure({ action: 'FailJob' }),
        failure({ onExitCodes: { operator: 'In', values: [1] } }),
        failure({ action: 'FailJob', onExitCodes: { operator: 'x', values: [1] } }),
        failure({ action: 'FailJob', onExitCodes: { operator: 'In', values: [] } }),
        failure({ action: 'FailJob', onExitCodes: { operator: 'In', values: [0] } }),
        failure({ action: 'FailJob', onExitCodes: { operator: 'NotIn', values: [2, 1] } }),
        failure({ action: 'FailJob', onExitCodes: { operator: 'In', values: [1, 1] } }),
        failure({ action: 'FailJob', onExitCodes: { containerName: 'none', operator: 'In', values: [1] } }),
        failure({ action: 'FailJob', onPodConditions: [{ type: 'bad one!', status: 'x' }] }),
        failure({ action: 'FailJob', onPodConditions: [{ type: 'A' }], onExitCodes: { operator: 'In', values: [1] } }),
        failure({ action: 'FailIndex', onPodConditions: [{ type: 'A' }] }),
        { 'spec.podFailurePolicy': { rules: [] } },
        {
          ...failure({ action: 'FailJob', onPodConditions: [{ type: 'A' }] }),
          'spec.template.spec.restartPolicy': 'OnFailure',
        },
        {
          ...failure({ action: 'FailJob', onPodConditions: [{ type: 'A' }] }),
          'spec.podReplacementPolicy': 'TerminatingOrFailed',
        },
        { 'spec.successPolicy': { rules: [{ succeededCount: 1 }] } },
        success(),
        success({}),
        success({ succeededCount: 0 }),
        success({ succeededCount: 9 }),
        success({ succeededIndexes: 'x' }),
        success({ succeededIndexes: '0-9' }),
        success({ succeededIndexes: '0-1', succeededCount: 3 }),
        success({ succeededIndexes: '2,1' }),
        success({ succeededIndexes: '0-1', succeededCount: 1 }),
        ...each('metadata.name', 'Bad_', 'a'.repeat(64), 'with.dots'),
      ],
      update: [
        ...each('spec.completions', 5, undefined),
        ...each('spec.parallelism', 5, -1),
        ...each('spec.selector', selector),
        ...each('spec.template.spec.containers.0.image', 'j'),
        ...each('spec.template.spec.nodeSelector', { a: 'b' }),
        ...each('spec.template.metadata.labels', { a: 'b' }),
        ...each('spec.completionMode', 'Indexed'),
        ...each('spec.suspend', true),
        ...each('spec.backoffLimit', 3),
        ...each('spec.activeDeadlineSeconds', 3),
        ...each('spec.ttlSecondsAfterFinished', 3),
        ...each('spec.managedBy', 'a.example/b'),
        ...each('spec.podFailurePolicy', {
          rules: [{ action: 'FailJob', onPodConditions: [{ type: 'A', status: 'True' }] }],
        }),
        ...each('spec.podReplacementPolicy', 'Failed'),
        ...each('spec.manualSelector', true),
        ...each('spec.backoffLimitPerIndex', 1),
        ...each('spec.successPolicy', { rules: [{ succeededCount: 1 }] }),
      ],
      status: [
        ...each('status.active', -1, 1),
        ...each('status.succeeded', -1, 1),
        ...each('status.failed', -1),
        ...each('status.ready', -1, 1),
        ...each('status.completionTime', '2026-01-01T00:00:00Z'),
        ...each('status.startTime', '2026-01-01T00:00:00Z'),
        ...each(
          'status.conditions',
          [{ type: 'Complete', status: 'True' }],
          [
            { type: 'Complete', status: 'True' },
            { type: 'Failed', status: 'True' },
          ],
          [{ type: 'Failed', status: 'True' }],
        ),
        ...each('status.completedIndexes', '0-1', 'x'),
        ...each('status.uncountedTerminatedPods', { succeeded: ['a', 'a'], failed: [''] }),
        ...each('status.terminating', -1),
      ],
    }),
    mutations('indexed jobs', indexed, {
      update: [
        { 'spec.completions': 3, 'spec.parallelism': 3 },
        ...each('spec.completions', 3),
        { 'spec.completions': 5, 'spec.parallelism': 3 },
        ...each('spec.completionMode', 'NonIndexed'),
      ],
    }),
    mutations('suspended jobs', suspended, {
      update: [
        ...each('spec.template.spec.containers.0.image', 'j'),
        ...each('spec.template.spec.containers.0.resources', { requests: { cpu: '1' } }),
        ...each('spec.template.spec.nodeSelector', { a: 'b' }),
        ...each('spec.template.spec.tolerations', [{ key: 'a', operator: 'Exists' }]),
        ...each('spec.template.spec.schedulingGates', [{ name: 'a' }]),
        ...each('spec.template.metadata.annotations', { a: 'b' }),
        ...each('spec.template.metadata.labels', { a: 'b' }),
        ...each('spec.suspend', false),
      ],
    }),
    mutations('cron jobs', cron, {
      create: [
        ...without(
          'spec',
          'spec.schedule',
          'spec.jobTemplate',
          'spec.jobTemplate.spec',
          'spec.jobTemplate.spec.template',
        ),
        ...each(
          'spec.schedule',
          '',
          'x',
          '* * * *',
          '* * * * * *',
          '60 * * * *',
          '* 24 * * *',
          '* * 0 * *',
          '* * * 13 *',
          '* * * * 8',
          '*/0 * * * *',
          '5-1 * * * *',
          '@hourly',
          '@every 5m',
          '@every x',
          '@nonsense',
          'TZ=UTC * * * * *',
          'CRON_TZ=UTC * * * * *',
          '* * * JAN MON',
          '* * * FOO *',
          '1,2,x * * * *',
          '0 0 31 2 *',
          '? ? ? ? ?',
          '-1 * * * *',
          '1-2-3 * * * *',
          '*/5/2 * * * *',
        ),
        ...each('spec.timeZone', '', 'Local', 'x', 'Europe/Berlin', 'UTC', '../x', ' UTC'),
        ...each('spec.concurrencyPolicy', 'x', ''),
        ...each('spec.startingDeadlineSeconds', -1, 0),
        ...each('spec.successfulJobsHistoryLimit', -1),
        ...each('spec.failedJobsHistoryLimit', -1),
        ...each('spec.jobTemplate.spec.template.spec.restartPolicy', 'Always', ''),
        ...each('spec.jobTemplate.spec.parallelism', -1),
        ...each('spec.jobTemplate.spec.completionMode', 'x', 'Indexed'),
        ...each('spec.jobTemplate.spec.selector', selector),
        ...each('spec.jobTemplate.spec.manualSelector', true),
        ...each('spec.jobTemplate.spec.backoffLimit', -1),
        ...each('spec.jobTemplate.metadata.labels', { 'bad key': 'x' }),
        ...each('spec.jobTemplate.spec.managedBy', 'x'),
        ...each('metadata.name', 'a'.repeat(53), 'Bad_', 'a.b'),
      ],
      update: [
        ...each('spec.schedule', 'x', '@daily'),
        ...each('spec.timeZone', 'x'),
        ...each('spec.jobTemplate.spec.template.spec.containers.0.image', 'j'),
      ],
    }),
    mutations(
      'disruption budgets',
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        path: group('policy/v1', 'poddisruptionbudgets'),
        body: { spec: { minAvailable: 1, selector } },
      },
      {
        create: [
          ...without('spec', 'spec.selector', 'spec.minAvailable'),
          ...each('spec.minAvailable', -1, '-1%', '101%', 'x', '50%', 0),
          ...each('spec.maxUnavailable', 1),
          { 'spec.minAvailable': undefined, 'spec.maxUnavailable': -1 },
          { 'spec.minAvailable': undefined, 'spec.maxUnavailable': '200%' },
          ...each(
            'spec.selector',
            {},
            { matchLabels: { 'bad key': 'x' } },
            { matchExpressions: [{ key: 'a', operator: 'In' }] },
          ),
          ...each('spec.unhealthyPodEvictionPolicy', 'x', ''),
          ...each('metadata.name', 'Bad_'),
        ],
        update: [...each('spec.minAvailable', 2), ...each('metadata.resourceVersion', '')],
        status: [
          ...each('status.currentHealthy', -1),
          ...each('status.desiredHealthy', -1),
          ...each('status.expectedPods', -1),
          ...each('status.disruptionsAllowed', -1, 1),
          ...each('status.conditions', [{ type: 'x', status: 'x', reason: '', message: '', lastTransitionTime: null }]),
        ],
      },
    ),
    mutations(
      'autoscalers',
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        path: group('autoscaling/v2', 'horizontalpodautoscalers'),
        body: {
          spec: {
            minReplicas: 1,
            maxReplicas: 3,
            scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
          },
        },
      },
      {
        create: [
          ...without(
            'spec',
            'spec.scaleTargetRef',
            'spec.maxReplicas',
            'spec.minReplicas',
            'spec.scaleTargetRef.kind',
            'spec.scaleTargetRef.name',
            'spec.scaleTargetRef.apiVersion',
          ),
          ...each('spec.minReplicas', -1, 0, 4),
          ...each('spec.maxReplicas', 0, -1),
          ...each('spec.scaleTargetRef.kind', 'a/b'),
          ...each('spec.scaleTargetRef.name', 'a/b', '..'),
          ...each('spec.scaleTargetRef.apiVersion', 'v1', 'a/b/c', 'x'),
          ...each(
            'spec.metrics',
            [{}],
            [{ type: 'x' }],
            [{ type: 'Resource' }],
            [{ type: 'Resource', resource: {} }],
            [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }],
            [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 0 } } }],
            [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '-1' } } }],
            [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Value', value: '1' } } }],
            [
              {
                type: 'Resource',
                resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 5, averageValue: '1' } },
              },
            ],
            [{ type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } } }],
            [{ type: 'Pods', pods: { metric: {}, target: { type: 'x' } } }],
            [{ type: 'Pods', pods: { metric: { name: 'a/b' }, target: { type: 'Value', value: '1' } } }],
            [
              {
                type: 'Object',
                object: { metric: { name: 'm' }, describedObject: {}, target: { type: 'Value', value: '1' } },
              },
            ],
            [
              {
                type: 'Object',
                object: {
                  metric: { name: '' },
                  describedObject: { kind: 'K', name: 'n', apiVersion: 'v1' },
                  target: {},
                },
              },
            ],
            [{ type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value' } } }],
            [
              {
                type: 'External',
                external: { metric: { name: 'm' }, target: { type: 'Value', value: '1', averageValue: '1' } },
              },
            ],
            [
              {
                type: 'ContainerResource',
                containerResource: {
                  name: 'cpu',
                  container: '',
                  target: { type: 'Utilization', averageUtilization: 5 },
                },
              },
            ],
            [
              {
                type: 'Resource',
                resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 5 } },
                pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } },
              },
            ],
          ),
          ...each(
            'spec.behavior',
            { scaleUp: { stabilizationWindowSeconds: -1 } },
            { scaleDown: { stabilizationWindowSeconds: 3601 } },
            { scaleUp: { selectPolicy: 'x' } },
            { scaleUp: { policies: [{ type: 'x', value: 0, periodSeconds: 0 }] } },
            { scaleUp: { policies: [{ type: 'Pods', value: 1, periodSeconds: 1801 }] } },
            { scaleDown: { tolerance: '-1' } },
          ),
        ],
        update: [...each('spec.maxReplicas', 0, 5), ...each('spec.scaleTargetRef.name', 'e')],
        status: [...each('status.currentReplicas', -1), ...each('status.desiredReplicas', -1)],
      },
    ),
  ],
};
