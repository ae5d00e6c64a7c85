import { group } from '../build.ts';
import type { Area } from '../types.ts';
import { each, type Mutation, mutations, type Valid, without } from './mutations.ts';

const cluster = (
  apiVersion: string,
  kind: string,
  plural: string,
  name: string,
  body: Readonly<Record<string, unknown>>,
): Valid => ({
  apiVersion,
  kind,
  path: `/apis/${apiVersion}/${plural}`,
  name,
  body,
});
const rbacGroup = 'rbac.authorization.k8s.io';
const rbac = (kind: string, plural: string, body: Readonly<Record<string, unknown>>): Valid => ({
  apiVersion: `${rbacGroup}/v1`,
  kind,
  path: group(`${rbacGroup}/v1`, plural),
  body,
});
const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const rules = (...list: readonly object[]): Mutation => ({ rules: list });
const roleRef = { apiGroup: rbacGroup, kind: 'ClusterRole', name: 'view' };
const subject = (...subjects: readonly object[]): Mutation => ({ subjects });
const subjects: readonly Mutation[] = [
  subject({}),
  subject({ kind: 'User' }),
  subject({ kind: 'User', name: 'u', apiGroup: 'x' }),
  subject({ kind: 'Robot', name: 'u' }),
  subject({ kind: 'ServiceAccount', name: 'Bad_', namespace: 'n' }),
  subject({ kind: 'ServiceAccount', name: 's' }),
  subject({ kind: 'ServiceAccount', name: 's', namespace: 'n', apiGroup: 'x' }),
  subject({ kind: 'Group', name: '' }),
];
const refs: readonly Mutation[] = [
  ...without('roleRef'),
  ...each(
    'roleRef',
    {},
    { ...roleRef, kind: 'x' },
    { ...roleRef, name: '' },
    { ...roleRef, apiGroup: 'x' },
    { ...roleRef, name: 'a/b' },
    { kind: 'Role', name: 'r' },
  ),
];

const service = { namespace: 'n', name: 's' };
const hook = {
  name: 'a.b.example',
  clientConfig: { service },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
};
const hooks = (more: object): Mutation => ({ webhooks: [{ ...hook, ...more }] });
const hookRule = (more: object): Mutation => hooks({ rules: [{ ...hook.rules[0], ...more }] });
const hookMutations: readonly Mutation[] = [
  ...each('metadata.name', 'Bad_', 'a b'),
  ...without('webhooks'),
  hooks({ name: '' }),
  hooks({ name: 'a' }),
  hooks({ name: 'Bad_.b.c' }),
  hooks({ sideEffects: undefined }),
  hooks({ sideEffects: 'Some' }),
  hooks({ sideEffects: 'x' }),
  hooks({ admissionReviewVersions: [] }),
  hooks({ admissionReviewVersions: ['x'] }),
  hooks({ admissionReviewVersions: ['v1', 'v1'] }),
  hooks({ admissionReviewVersions: ['Bad_', 'v1'] }),
  hooks({ timeoutSeconds: 0 }),
  hooks({ timeoutSeconds: 31 }),
  hooks({ failurePolicy: 'x' }),
  hooks({ matchPolicy: 'x' }),
  hooks({ clientConfig: {} }),
  hooks({ clientConfig: { url: 'https://x', service } }),
  hooks({ clientConfig: { url: 'http://x' } }),
  hooks({ clientConfig: { url: 'x' } }),
  hooks({ clientConfig: { url: 'https://u:p@x' } }),
  hooks({ clientConfig: { url: 'https://x?a=b#c' } }),
  hooks({ clientConfig: { service: {} } }),
  hooks({ clientConfig: { service: { ...service, path: 'x' } } }),
  hooks({ clientConfig: { service: { ...service, path: '/a//b' } } }),
  hooks({ clientConfig: { service: { ...service, port: 0 } } }),
  hooks({ clientConfig: { service: { ...service, port: 70000 } } }),
  hooks({ namespaceSelector: { matchLabels: { 'bad key': 'x' } } }),
  hooks({ objectSelector: { matchExpressions: [{ key: 'a', operator: 'x' }] } }),
  hookRule({ operations: [] }),
  hookRule({ operations: ['x'] }),
  hookRule({ operations: ['*', 'CREATE'] }),
  hookRule({ apiGroups: [] }),
  hookRule({ apiGroups: ['*', 'a'] }),
  hookRule({ apiVersions: [''] }),
  hookRule({ resources: [] }),
  hookRule({ resources: ['*', 'pods'] }),
  hookRule({ resources: ['*/*', 'pods'] }),
  hookRule({ resources: ['pods/*', 'pods/status'] }),
  hookRule({ resources: [''] }),
  hookRule({ resources: ['a/b/c'] }),
  hookRule({ scope: 'x' }),
  hooks({ matchConditions: [{ name: '', expression: 'true' }] }),
  hooks({ matchConditions: [{ name: 'bad one!', expression: 'true' }] }),
  hooks({ matchConditions: [{ name: 'a', expression: '' }] }),
  hooks({ matchConditions: [{ name: 'a', expression: '1' }] }),
  hooks({
    matchConditions: [
      { name: 'a', expression: 'true' },
      { name: 'a', expression: 'true' },
    ],
  }),
  { webhooks: [hook, hook] },
  { webhooks: [] },
];

const classSpec = { provisioner: 'p.example' };

export const validationOthers: Area = {
  name: 'validation-others',
  scenarios: [
    mutations('roles', rbac('Role', 'roles', { rules: [rule] }), {
      create: [
        ...each('metadata.name', 'a/b', '..', 'a%b', 'Any:Name'),
        rules({}),
        rules({ verbs: ['get'] }),
        rules({ ...rule, verbs: [] }),
        rules({ ...rule, apiGroups: [] }),
        rules({ ...rule, resources: [] }),
        rules({ verbs: ['get'], nonResourceURLs: ['/x'] }),
        rules({ ...rule, nonResourceURLs: ['/x'] }),
        rules({ ...rule, verbs: [''] }),
        rules(),
      ],
      update: [...each('rules', [], [{}])],
    }),
    mutations('cluster roles', cluster(`${rbacGroup}/v1`, 'ClusterRole', 'clusterroles', 'd-role', { rules: [rule] }), {
      create: [
        ...each('metadata.name', 'a/b'),
        rules({ verbs: ['get'], nonResourceURLs: ['/x'] }),
        rules({ verbs: ['get'], nonResourceURLs: ['x'] }),
        rules({ verbs: ['get'], nonResourceURLs: ['/x/*/y', '*'] }),
        rules({ ...rule, nonResourceURLs: ['/x'] }),
        ...each(
          'aggregationRule',
          {},
          { clusterRoleSelectors: [] },
          { clusterRoleSelectors: [{ matchLabels: { 'bad key': 'x' } }] },
          { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'x' }] }] },
        ),
      ],
    }),
    mutations('bindings', rbac('RoleBinding', 'rolebindings', { roleRef, subjects: [{ kind: 'User', name: 'u' }] }), {
      create: [...refs, ...subjects, ...without('subjects'), ...each('metadata.name', 'a/b')],
      update: [
        ...each('roleRef.name', 'edit', ''),
        ...each('roleRef.kind', 'Role'),
        ...each('subjects', [], [{ kind: 'x', name: 'y' }]),
      ],
    }),
    mutations(
      'cluster bindings',
      cluster(`${rbacGroup}/v1`, 'ClusterRoleBinding', 'clusterrolebindings', 'd-binding', { roleRef }),
      { create: [...refs, ...subjects], update: each('roleRef.name', 'edit') },
    ),
    mutations(
      'validating webhooks',
      cluster(
        'admissionregistration.k8s.io/v1',
        'ValidatingWebhookConfiguration',
        'validatingwebhookconfigurations',
        'd-hooks',
        { webhooks: [] },
      ),
      { create: [{ webhooks: [hook] }, ...hookMutations] },
    ),
    mutations(
      'mutating webhooks',
      cluster(
        'admissionregistration.k8s.io/v1',
        'MutatingWebhookConfiguration',
        'mutatingwebhookconfigurations',
        'd-hooks',
        { webhooks: [] },
      ),
      {
        create: [
          hooks({ reinvocationPolicy: 'x' }),
          hooks({ reinvocationPolicy: 'IfNeeded' }),
          ...hookMutations.slice(0, 9),
        ],
        update: [...each('metadata.resourceVersion', ''), hooks({ sideEffects: 'x' })],
      },
    ),
    mutations('storage classes', cluster('storage.k8s.io/v1', 'StorageClass', 'storageclasses', 'd-class', classSpec), {
      create: [
        ...each('metadata.name', 'Bad_'),
        ...without('provisioner'),
        ...each('provisioner', 'bad one!', ''),
        ...each('reclaimPolicy', 'x', 'Recycle', ''),
        ...each('volumeBindingMode', 'x', ''),
        ...each('parameters', { '': 'x' }, { big: 'x'.repeat(300_000) }),
        ...each(
          'allowedTopologies',
          [{}],
          [{ matchLabelExpressions: [{ key: '', values: [] }] }],
          [{ matchLabelExpressions: [{ key: 'a', values: ['b', 'b'] }] }],
          [
            {
              matchLabelExpressions: [
                { key: 'a', values: ['b'] },
                { key: 'a', values: ['c'] },
              ],
            },
          ],
          [
            { matchLabelExpressions: [{ key: 'a', values: ['b'] }] },
            { matchLabelExpressions: [{ key: 'a', values: ['b'] }] },
          ],
        ),
        ...each('mountOptions', ['']),
      ],
      update: [
        ...each('provisioner', 'q.example'),
        ...each('parameters', { a: 'b' }),
        ...each('reclaimPolicy', 'Retain'),
        ...each('volumeBindingMode', 'WaitForFirstConsumer'),
        ...each('allowVolumeExpansion', true),
        ...each('mountOptions', ['ro']),
        ...each('allowedTopologies', [{ matchLabelExpressions: [{ key: 'a', values: ['b'] }] }]),
      ],
    }),
    mutations('CSI drivers', cluster('storage.k8s.io/v1', 'CSIDriver', 'csidrivers', 'd.example', { spec: {} }), {
      create: [
        ...each('metadata.name', 'Bad_', 'Upper.Example', `${'a'.repeat(64)}`),
        ...without('spec'),
        ...each('spec.volumeLifecycleModes', ['x'], ['Persistent', 'Ephemeral']),
        ...each('spec.fsGroupPolicy', 'x'),
        ...each(
          'spec.tokenRequests',
          [{}],
          [{ audience: 'a' }, { audience: 'a' }],
          [{ audience: 'a', expirationSeconds: 5 }],
          [{ audience: 'a', expirationSeconds: 5_000_000_000 }],
        ),
        ...each('spec.nodeAllocatableUpdatePeriodSeconds', 5, 10),
      ],
      update: [
        ...each('spec.attachRequired', false),
        ...each('spec.podInfoOnMount', true),
        ...each('spec.volumeLifecycleModes', ['Ephemeral']),
        ...each('spec.fsGroupPolicy', 'None'),
        ...each('spec.storageCapacity', true),
        ...each('spec.requiresRepublish', true),
        ...each('spec.seLinuxMount', true),
        ...each('metadata.resourceVersion', ''),
      ],
    }),
    mutations(
      'CSI nodes',
      cluster('storage.k8s.io/v1', 'CSINode', 'csinodes', 'd-node', {
        spec: { drivers: [{ name: 'd.example', nodeID: 'n', topologyKeys: ['zone'] }] },
      }),
      {
        create: [
          ...each('metadata.name', 'Bad_'),
          ...without('spec', 'spec.drivers', 'spec.drivers.0.nodeID', 'spec.drivers.0.name'),
          ...each(
            'spec.drivers',
            [{ name: 'Bad_', nodeID: 'n' }],
            [{ name: 'd', nodeID: 'n'.repeat(257) }],
            [{ name: 'd', nodeID: 'n', topologyKeys: [''] }],
            [{ name: 'd', nodeID: 'n', topologyKeys: ['a', 'a'] }],
            [{ name: 'd', nodeID: 'n', topologyKeys: ['bad key'] }],
            [{ name: 'd', nodeID: 'n', allocatable: { count: -1 } }],
            [
              { name: 'd', nodeID: 'n' },
              { name: 'd', nodeID: 'm' },
            ],
          ),
        ],
        update: [
          ...each(
            'spec.drivers',
            [],
            [{ name: 'd.example', nodeID: 'other', topologyKeys: ['zone'] }],
            [{ name: 'd.example', nodeID: 'n', topologyKeys: ['zone'], allocatable: { count: 4 } }],
          ),
        ],
      },
    ),
    mutations(
      'CSI capacities',
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSIStorageCapacity',
        path: group('storage.k8s.io/v1', 'csistoragecapacities'),
        body: { storageClassName: 'c' },
      },
      {
        create: [
          ...each('metadata.name', 'Bad_'),
          ...without('storageClassName'),
          ...each('storageClassName', 'Bad_', ''),
          ...each('capacity', '-1'),
          ...each('maximumVolumeSize', '-1'),
          ...each('nodeTopology', { matchLabels: { 'bad key': 'x' } }),
        ],
        update: [
          ...each('storageClassName', 'e'),
          ...each('nodeTopology', { matchLabels: { a: 'b' } }),
          ...each('capacity', '1Gi'),
        ],
      },
    ),
    mutations(
      'volume attachments',
      cluster('storage.k8s.io/v1', 'VolumeAttachment', 'volumeattachments', 'd-att', {
        spec: { attacher: 'a.example', nodeName: 'n', source: { persistentVolumeName: 'p' } },
      }),
      {
        create: [
          ...each('metadata.name', 'Bad_'),
          ...without('spec', 'spec.attacher', 'spec.nodeName', 'spec.source', 'spec.source.persistentVolumeName'),
          ...each('spec.attacher', 'Bad_', 'a'.repeat(64)),
          ...each('spec.nodeName', 'Bad_'),
          ...each(
            'spec.source',
            { persistentVolumeName: 'Bad_' },
            { persistentVolumeName: 'p', inlineVolumeSpec: { hostPath: { path: '/x' } } },
            { inlineVolumeSpec: { hostPath: { path: '/x' } } },
          ),
        ],
        update: [
          ...each('spec.nodeName', 'm'),
          ...each('spec.attacher', 'b.example'),
          ...each('metadata.labels', { a: 'b' }),
        ],
        status: [
          ...each('status.attached', true),
          ...each('status.attachmentMetadata', { 'bad key': 'x' }),
          ...each('status.attachError', { message: 'x'.repeat(300_000) }, { errorCode: -1 }),
        ],
      },
    ),
    mutations(
      'attribute classes',
      cluster('storage.k8s.io/v1', 'VolumeAttributesClass', 'volumeattributesclasses', 'd-vac', {
        driverName: 'd.example',
        parameters: { a: 'b' },
      }),
      {
        create: [
          ...each('metadata.name', 'Bad_'),
          ...without('driverName', 'parameters'),
          ...each('driverName', 'Bad_', ''),
          ...each('parameters', {}, { '': 'x' }),
        ],
        update: [...each('driverName', 'e.example'), ...each('parameters', { a: 'c' })],
      },
    ),
    mutations(
      'priority classes',
      cluster('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', 'd-prio', { value: 5 }),
      {
        create: [
          ...each('metadata.name', 'Bad_', 'system-x'),
          ...without('value'),
          ...each('value', 1_000_000_001, -5, 2_147_483_648),
          ...each('preemptionPolicy', 'x', ''),
          ...each('globalDefault', true),
        ],
        update: [
          ...each('value', 6),
          ...each('preemptionPolicy', 'Never'),
          ...each('description', 'x'),
          ...each('globalDefault', true),
        ],
      },
    ),
    mutations(
      'runtime classes',
      cluster('node.k8s.io/v1', 'RuntimeClass', 'runtimeclasses', 'd-rc', { handler: 'h' }),
      {
        create: [
          ...each('metadata.name', 'Bad_', 'a.b'),
          ...without('handler'),
          ...each('handler', '', 'Bad_', 'a.b', 'a'.repeat(64)),
          ...each(
            'overhead',
            { podFixed: { cpu: '-1' } },
            { podFixed: { 'example.com/x': '1' } },
            {},
            { podFixed: { 'Bad Name!': '1' } },
          ),
          ...each(
            'scheduling',
            { nodeSelector: { 'bad key': 'x' } },
            { tolerations: [{ operator: 'Equal' }] },
            {
              tolerations: [
                { key: 'a', operator: 'Exists' },
                { key: 'a', operator: 'Exists' },
              ],
            },
            { nodeSelector: { a: 'bad value!' } },
          ),
        ],
        update: [
          ...each('handler', 'g'),
          ...each('overhead', { podFixed: { cpu: '1' } }),
          ...each('metadata.resourceVersion', ''),
        ],
      },
    ),
    mutations(
      'validating policies',
      cluster('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies', 'd-vap', {
        spec: { matchConstraints: { resourceRules: hook.rules }, validations: [{ expression: 'true' }] },
      }),
      {
        create: [
          ...each('metadata.name', 'Bad_'),
          ...without('spec', 'spec.matchConstraints', 'spec.validations'),
          ...each('spec.failurePolicy', 'x'),
          ...each(
            'spec.validations',
            [],
            [{}],
            [{ expression: '' }],
            [{ expression: 'x.y' }],
            [{ expression: '1' }],
            [{ expression: 'true', reason: 'x' }],
            [{ expression: 'true', message: ' ' }],
            [{ expression: 'true', message: 'a\nb' }],
            [{ expression: 'true', messageExpression: '1' }],
            [{ expression: 'object.spec.x' }],
          ),
          ...each(
            'spec.matchConstraints',
            {},
            { resourceRules: [] },
            { resourceRules: [{}] },
            { resourceRules: [{ ...hook.rules[0], operations: ['x'] }] },
            { resourceRules: hook.rules, matchPolicy: 'x' },
            { resourceRules: [{ ...hook.rules[0], resourceNames: ['a', 'a'] }] },
          ),
          ...each('spec.paramKind', {}, { apiVersion: 'x/y/z', kind: '' }, { apiVersion: 'v1', kind: 'ConfigMap' }),
          ...each(
            'spec.variables',
            [{ name: '', expression: '' }],
            [{ name: 'a-b', expression: 'true' }],
            [{ name: 'a', expression: 'x.y' }],
            [
              { name: 'a', expression: '1' },
              { name: 'a', expression: '1' },
            ],
          ),
          ...each(
            'spec.auditAnnotations',
            [{ key: '', valueExpression: '' }],
            [{ key: 'a', valueExpression: '1' }],
            [{ key: 'bad key', valueExpression: '"x"' }],
            [
              { key: 'a', valueExpression: '"x"' },
              { key: 'a', valueExpression: '"x"' },
            ],
          ),
          ...each('spec.matchConditions', [{ name: '', expression: '' }], [{ name: 'a', expression: '1' }]),
        ],
        update: [...each('spec.failurePolicy', 'Ignore', 'x')],
      },
    ),
    mutations(
      'policy bindings',
      cluster(
        'admissionregistration.k8s.io/v1',
        'ValidatingAdmissionPolicyBinding',
        'validatingadmissionpolicybindings',
        'd-vapb',
        { spec: { policyName: 'none', validationActions: ['Deny'] } },
      ),
      {
        create: [
          ...each('metadata.name', 'Bad_'),
          ...without('spec', 'spec.policyName', 'spec.validationActions'),
          ...each('spec.policyName', 'Bad_', ''),
          ...each('spec.validationActions', [], ['x'], ['Deny', 'Deny'], ['Deny', 'Warn'], ['Audit', 'Warn']),
          ...each(
            'spec.paramRef',
            {},
            { name: 'a' },
            { name: 'a', parameterNotFoundAction: 'x' },
            { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' },
            { selector: { matchExpressions: [{ key: 'a', operator: 'x' }] }, parameterNotFoundAction: 'Allow' },
          ),
          ...each(
            'spec.matchResources',
            { matchPolicy: 'x' },
            { namespaceSelector: { matchLabels: { 'bad key': 'x' } } },
            { resourceRules: [{}] },
          ),
        ],
        update: [...each('spec.policyName', 'other'), ...each('metadata.resourceVersion', '')],
      },
    ),
    mutations(
      'API services',
      cluster('apiregistration.k8s.io/v1', 'APIService', 'apiservices', 'v1.d.example', {
        spec: {
          group: 'd.example',
          version: 'v1',
          groupPriorityMinimum: 1000,
          versionPriority: 15,
          service: { namespace: 'n', name: 's' },
          insecureSkipTLSVerify: true,
        },
      }),
      {
        create: [
          ...each('metadata.name', 'x', 'Bad_'),
          ...without(
            'spec',
            'spec.group',
            'spec.version',
            'spec.groupPriorityMinimum',
            'spec.versionPriority',
            'spec.service',
          ),
          ...each('spec.groupPriorityMinimum', 0, 20_001),
          ...each('spec.versionPriority', 0, 1001),
          ...each(
            'spec.service',
            {},
            { namespace: 'n' },
            { namespace: 'n', name: 's', port: 0 },
            { namespace: 'n', name: 's', port: 70000 },
          ),
          { 'spec.caBundle': 'eA==' },
          { 'spec.caBundle': 'eA==', 'spec.insecureSkipTLSVerify': false },
        ],
      },
    ),
  ],
};
