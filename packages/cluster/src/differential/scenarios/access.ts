import { configMap, core, del, get, group, mergePatch, object, post, put } from '../build.ts';
import type { Area, Step } from '../types.ts';

const cms = core('configmaps');
const tokens = core('serviceaccounts/robot/token');

/** As somebody who may do nothing. */
const stranger = { 'Impersonate-User': 'stranger' };
const badToken = { authorization: 'Bearer nobody-knows-this' };
const picture = 'image/png';
const tooMuch = `{"a":"${'x'.repeat(3 * 1024 * 1024)}"}`;

/** Requests that are wrong in more than one way: the answer tells which is looked at first. */
const wrong = (headers: Readonly<Record<string, string>>): readonly Step[] => [
  post(cms, undefined, { headers, raw: '{"kind":' }),
  post(cms, undefined, { headers, raw: 'text', contentType: 'text/plain' }),
  post(cms, configMap('a'), { headers, accept: picture }),
  post(cms, undefined, { headers, raw: tooMuch, note: 'more than 3 MiB' }),
  post(cms, undefined, { headers, raw: tooMuch, contentType: 'text/plain', note: 'more than 3 MiB' }),
  post(cms, undefined, { headers, raw: 'text', contentType: 'text/plain', accept: picture }),
  put(cms, configMap('a'), { headers }),
  put(cms, configMap('a'), { headers, accept: picture }),
  get(core('nothings'), { headers }),
  get(core('nothings'), { headers, accept: picture }),
  get('/apis/nothing.example/v1/things', { headers }),
  get('/apis/nothing.example/v1/things', { headers, accept: picture }),
  get('/nothing', { headers }),
  get('/nothing', { headers, accept: picture }),
  get(`${cms}?limit=many`, { headers }),
  get(`${cms}?watch=true&timeoutSeconds=soon`, { headers }),
  mergePatch(`${cms}/missing`, undefined, { headers, raw: 'text', contentType: 'text/plain' }),
  mergePatch(`${cms}/missing`, undefined, { headers, raw: '[' }),
  del(`${cms}/missing`, undefined, { headers, raw: '[' }),
  del(`${cms}/missing`, undefined, { headers, raw: 'text', contentType: 'text/plain' }),
];

const masters = { 'Impersonate-Group': 'system:masters' };

const pod = object('v1', 'Pod', 'p', {
  spec: { serviceAccountName: 'robot', nodeName: 'n', containers: [{ name: 'main', image: 'busybox' }] },
});

const tokenRequest = (spec: object): Step =>
  post(
    tokens,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec },
    { save: { token: 'status.token' } },
  );
const review: Step = post('/apis/authentication.k8s.io/v1/tokenreviews', {
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenReview',
  spec: { token: '{token}' },
});
const toPod = { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p' } };

const whoAmI = (headers: Readonly<Record<string, string>>): Step =>
  post(
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    { headers },
  );

const ask = (plural: string, kind: string, spec: object): Step =>
  post(`/apis/authorization.k8s.io/v1/${plural}`, { apiVersion: 'authorization.k8s.io/v1', kind, spec });

const rbac = 'rbac.authorization.k8s.io';
const clusterRole = (name: string, rules: readonly object[]): Step =>
  post(`/apis/${rbac}/v1/clusterroles`, { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules });
const clusterBinding = (role: string): Step =>
  post(`/apis/${rbac}/v1/clusterrolebindings`, {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: role },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: '{ns}' }],
  });
const authn = { apiGroups: ['authentication.k8s.io'], resources: ['nodes'] };

/** Who is let in, in which order a request is looked at, and what tokens say. */
export const access: Area = {
  name: 'access',
  scenarios: [
    { title: 'what is wrong with a request is not told to who may not make it', steps: wrong(stranger) },
    { title: 'what is wrong with a request, in order', steps: wrong({ 'X-Wire': '1' }) },
    { title: 'nor to who is unknown', steps: wrong(badToken) },
    {
      title: 'impersonation before all else',
      steps: [
        post(cms, undefined, { headers: masters, raw: '{', accept: picture }),
        put(cms, configMap('a'), { headers: masters }),
        get('/nothing', { headers: masters }),
        post(cms, undefined, { headers: { ...masters, ...badToken }, raw: '{' }),
      ],
    },
    {
      title: 'tokens of pods',
      steps: [
        post(core('serviceaccounts'), object('v1', 'ServiceAccount', 'robot')),
        post('/api/v1/nodes', object('v1', 'Node', 'n'), { save: { node: 'metadata.uid' } }),
        post(core('pods'), pod),
        tokenRequest({ ...toPod, expirationSeconds: 3607 }),
        review,
        tokenRequest({ ...toPod, expirationSeconds: 3607, audiences: ['elsewhere'] }),
        tokenRequest({ ...toPod, expirationSeconds: 600 }),
        tokenRequest({ boundObjectRef: { apiVersion: 'v1', kind: 'Node', name: 'n' } }),
        review,
        tokenRequest({ boundObjectRef: { apiVersion: 'v1', kind: 'Node', name: 'none' } }),
        tokenRequest({ ...toPod, attestations: { admissionReviewAPIGroups: ['apps'] } }),
        tokenRequest({
          boundObjectRef: {
            apiVersion: 'admissionregistration.k8s.io/v1',
            kind: 'ValidatingWebhookConfiguration',
            name: 'w',
          },
        }),
        tokenRequest({
          audiences: ['hook'],
          attestations: { admissionReviewAPIGroups: ['apps'] },
          boundObjectRef: {
            apiVersion: 'admissionregistration.k8s.io/v1',
            kind: 'ValidatingWebhookConfiguration',
            name: 'w',
          },
        }),
        tokenRequest({ boundObjectRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } }),
        del('/api/v1/nodes/n'),
      ],
    },
    {
      title: 'service accounts as their nodes',
      steps: [
        post(core('serviceaccounts'), object('v1', 'ServiceAccount', 'robot')),
        post('/api/v1/nodes', object('v1', 'Node', 'n')),
        post(core('pods'), pod),
        tokenRequest(toPod),
        whoAmI({ authorization: 'Bearer {token}' }),
        whoAmI({ authorization: 'Bearer {token}', 'Impersonate-User': 'system:node:n' }),
        clusterRole('d-associated', [
          { ...authn, verbs: ['impersonate:associated-node'] },
          {
            apiGroups: ['authentication.k8s.io'],
            resources: ['selfsubjectreviews'],
            verbs: ['impersonate-on:associated-node:create'],
          },
        ]),
        clusterBinding('d-associated'),
        get(`${cms}?resourceVersion=99999999&resourceVersionMatch=NotOlderThan`, { slow: true }),
        whoAmI({ authorization: 'Bearer {token}', 'Impersonate-User': 'system:node:n' }),
        whoAmI({ authorization: 'Bearer {token}', 'Impersonate-User': 'system:node:other' }),
        whoAmI({ authorization: 'Bearer {token}', 'Impersonate-User': 'system:node:n', 'Impersonate-Group': 'g' }),
        get(cms, { headers: { authorization: 'Bearer {token}', 'Impersonate-User': 'system:node:n' } }),
        del('/api/v1/nodes/n'),
      ],
    },
    {
      title: 'groups and extras of others',
      steps: [
        whoAmI({ ...stranger, 'Impersonate-Group': 'system:masters' }),
        post(core('serviceaccounts'), object('v1', 'ServiceAccount', 'robot')),
        post(
          tokens,
          { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' },
          { save: { token: 'status.token' } },
        ),
        clusterRole('d-user-info', [
          { ...authn, resources: ['users', 'uids'], verbs: ['impersonate:user-info'] },
          { ...authn, resources: ['groups'], resourceNames: ['a', 'b', 'c'], verbs: ['impersonate:user-info'] },
          { ...authn, resources: ['selfsubjectreviews'], verbs: ['impersonate-on:user-info:create'] },
        ]),
        clusterBinding('d-user-info'),
        get(`${cms}?resourceVersion=99999999&resourceVersionMatch=NotOlderThan`, { slow: true }),
        ...[
          {},
          { 'Impersonate-Uid': '1' },
          { 'Impersonate-Group': 'a' },
          { 'Impersonate-Group': 'd' },
          { 'Impersonate-Group': 'system:masters' },
          { 'Impersonate-Extra-Scope': 's' },
          { 'Impersonate-Extra-example.org%2fscope': 's' },
          { 'Impersonate-User': 'system:node:n' },
          { 'Impersonate-User': 'system:serviceaccount:{ns}:other' },
        ].map((more) => whoAmI({ authorization: 'Bearer {token}', ...stranger, ...(more as object) })),
        whoAmI({ authorization: 'Bearer {token}', 'Impersonate-Group': 'a' }),
      ],
    },
    {
      title: 'questions',
      steps: [
        ask('subjectaccessreviews', 'SubjectAccessReview', {
          user: 'ann',
          resourceAttributes: { verb: 'get', resource: 'pods' },
        }),
        ask('selfsubjectaccessreviews', 'SelfSubjectAccessReview', {
          nonResourceAttributes: { verb: 'get', path: '/x' },
        }),
        post('/apis/authentication.k8s.io/v1/tokenreviews', {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          spec: { token: 'nobody-knows-this', audiences: ['a'] },
        }),
      ],
    },
    {
      title: 'rules that are refused',
      steps: [
        post(`/apis/authorization.k8s.io/v1/selfsubjectrulesreviews`, {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectRulesReview',
          spec: {},
        }),
        post(
          group(`${rbac}/v1`, 'roles'),
          { apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name: 'r' }, rules: [{ verbs: ['get'] }] },
          { headers: { 'X-Wire': '1' } },
        ),
      ],
    },
  ],
};
