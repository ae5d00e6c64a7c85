import {
  applyPatch,
  configMap,
  core,
  get,
  group,
  jsonPatch,
  mergePatch,
  object,
  post,
  put,
  strategicPatch,
} from '../build.ts';
import type { Area } from '../types.ts';

const cms = core('configmaps');
const deployments = group('apps/v1', 'deployments');
const services = core('services');
const pods = core('pods');

const deployment = (spec: object = {}, container: object = {}) =>
  object('apps/v1', 'Deployment', 'd', {
    spec: {
      selector: { matchLabels: { app: 'a' } },
      template: {
        metadata: { labels: { app: 'a' } },
        spec: {
          containers: [
            {
              name: 'one',
              image: 'one:1',
              env: [
                { name: 'A', value: '1' },
                { name: 'B', value: '2' },
              ],
              ports: [{ containerPort: 80 }],
              ...container,
            },
            { name: 'two', image: 'two:1' },
          ],
        },
      },
      ...spec,
    },
  });
const podSpec = (spec: object) => ({ spec: { template: { spec } } });

/** The four kinds of patches. */
export const patches: Area = {
  name: 'patches',
  scenarios: [
    {
      title: 'merge patch',
      steps: [
        post(cms, configMap('a', { data: { x: '1', y: '2' }, metadata: { labels: { l: '1' } } }), {
          save: { rv: 'metadata.resourceVersion' },
        }),
        mergePatch(`${cms}/a`, { data: { x: null, z: '3' } }),
        mergePatch(`${cms}/a`, {}),
        mergePatch(`${cms}/a`, { data: null }),
        mergePatch(`${cms}/a`, { metadata: { labels: null, annotations: { a: 'b' } } }),
        mergePatch(`${cms}/a`, { metadata: { resourceVersion: '{rv}' }, data: { late: '1' } }),
        post(deployments, deployment()),
        mergePatch(`${deployments}/d`, podSpec({ containers: [{ name: 'three', image: 'three:1' }] })),
        mergePatch(`${deployments}/d`, { spec: { replicas: null } }),
        mergePatch(`${deployments}/d`, { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } }),
        mergePatch(`${deployments}/d`, { status: { replicas: 5 } }),
      ],
    },
    {
      title: 'JSON patch',
      steps: [
        post(cms, configMap('a', { data: { x: '1', 'y/z': '2', 't~u': '3' } })),
        jsonPatch(`${cms}/a`, [{ op: 'add', path: '/data/n', value: '1' }]),
        jsonPatch(`${cms}/a`, [
          { op: 'remove', path: '/data/y~1z' },
          { op: 'replace', path: '/data/t~0u', value: '4' },
        ]),
        jsonPatch(`${cms}/a`, [
          { op: 'copy', from: '/data/x', path: '/data/c' },
          { op: 'move', from: '/data/n', path: '/data/m' },
        ]),
        jsonPatch(`${cms}/a`, [{ op: 'test', path: '/data/x', value: '1' }]),
        jsonPatch(`${cms}/a`, []),
        jsonPatch(`${cms}/a`, [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]),
        jsonPatch(`${cms}/a`, [{ op: 'add', path: '/metadata/labels/deep/er', value: 'b' }]),
        post(deployments, deployment()),
        jsonPatch(`${deployments}/d`, [
          { op: 'add', path: '/spec/template/spec/containers/-', value: { name: 'three', image: 'i' } },
        ]),
        jsonPatch(`${deployments}/d`, [
          { op: 'add', path: '/spec/template/spec/containers/0', value: { name: 'zero', image: 'i' } },
        ]),
        jsonPatch(`${deployments}/d`, [{ op: 'remove', path: '/spec/template/spec/containers/1' }]),
        jsonPatch(`${deployments}/d`, [{ op: 'add', path: '/spec/template/spec/containers/9', value: {} }]),
        jsonPatch(`${deployments}/d`, [{ op: 'replace', path: '/spec/replicas', value: 'many' }]),
        jsonPatch(`${deployments}/d`, [{ op: 'replace', path: '/spec/replicas', value: -1 }]),
      ],
    },
    {
      title: 'strategic merge patch',
      steps: [
        post(deployments, deployment()),
        strategicPatch(`${deployments}/d`, podSpec({ containers: [{ name: 'two', image: 'two:2' }] })),
        strategicPatch(`${deployments}/d`, podSpec({ containers: [{ name: 'three', image: 'three:1' }] })),
        strategicPatch(`${deployments}/d`, podSpec({ containers: [{ name: 'two', $patch: 'delete' }] })),
        strategicPatch(
          `${deployments}/d`,
          podSpec({ $setElementOrder$containers: [], containers: [{ name: 'one', env: [{ name: 'C', value: '3' }] }] }),
        ),
        strategicPatch(
          `${deployments}/d`,
          podSpec({
            '$setElementOrder/containers': [{ name: 'three' }, { name: 'one' }],
            containers: [{ name: 'three', image: 'three:2' }],
          }),
        ),
        strategicPatch(
          `${deployments}/d`,
          podSpec({
            containers: [{ name: 'one', env: [{ name: 'A', $patch: 'delete' }], ports: [{ containerPort: 81 }] }],
          }),
        ),
        strategicPatch(
          `${deployments}/d`,
          podSpec({ containers: [{ $patch: 'replace' }, { name: 'only', image: 'only:1' }] }),
        ),
        strategicPatch(`${deployments}/d`, { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }),
        strategicPatch(`${deployments}/d`, { spec: { strategy: { $patch: 'replace', type: 'RollingUpdate' } } }),
        strategicPatch(`${deployments}/d`, podSpec({ containers: [{ name: 'only', unknown: 1 }] })),
        strategicPatch(`${deployments}/d`, podSpec({ containers: [{ image: 'nameless' }] })),
        strategicPatch(`${deployments}/d`, podSpec({ containers: [{ name: 'only', $patch: 'nonsense' }] })),
        strategicPatch(`${deployments}/d`, podSpec({ tolerations: [{ key: 'a' }] })),
        strategicPatch(`${deployments}/d`, podSpec({ tolerations: [{ key: 'b' }] })),
        strategicPatch(`${deployments}/d`, { metadata: { finalizers: ['d.example/a'] } }),
        strategicPatch(`${deployments}/d`, { metadata: { finalizers: ['d.example/b'] } }),
        strategicPatch(`${deployments}/d`, { metadata: { '$deleteFromPrimitiveList/finalizers': ['d.example/a'] } }),
        strategicPatch(`${deployments}/d`, { metadata: { finalizers: null } }),
        post(services, object('v1', 'Service', 's', { spec: { ports: [{ name: 'a', port: 80 }] } })),
        strategicPatch(`${services}/s`, { spec: { ports: [{ name: 'b', port: 81 }] } }),
        strategicPatch(`${services}/s`, { spec: { ports: [{ port: 80, targetPort: 8080 }] } }),
        post(pods, object('v1', 'Pod', 'p', { spec: { containers: [{ name: 'm', image: 'i' }] } })),
        strategicPatch(`${pods}/p/status`, { status: { conditions: [{ type: 'Ready', status: 'False' }] } }),
        strategicPatch(`${pods}/p/status`, { status: { conditions: [{ type: 'Other', status: 'True' }] } }),
        strategicPatch(`${pods}/p/status`, { status: { conditions: [{ type: 'Ready', status: 'True' }] } }),
        strategicPatch(`${cms}/none`, {}),
      ],
    },
    {
      title: 'apply',
      steps: [
        applyPatch(`${cms}/a?fieldManager=one`, configMap('a', { data: { x: '1', y: '1' } })),
        applyPatch(`${cms}/a?fieldManager=one`, configMap('a', { data: { x: '1', y: '1' } })),
        applyPatch(`${cms}/a?fieldManager=two`, configMap('a', { data: { x: '2' } })),
        applyPatch(`${cms}/a?fieldManager=two&force=true`, configMap('a', { data: { x: '2' } })),
        applyPatch(`${cms}/a?fieldManager=one`, configMap('a', { data: { y: '1' } })),
        applyPatch(`${cms}/a?fieldManager=one`, configMap('a', {})),
        mergePatch(`${cms}/a?fieldManager=three`, { data: { x: '3' } }),
        applyPatch(`${cms}/a?fieldManager=two&dryRun=All&force=true`, configMap('a', { data: { x: '4' } })),
        applyPatch(`${cms}/a?fieldManager=two`, configMap('a', { metadata: { resourceVersion: '1' } })),
        applyPatch(`${cms}/b?fieldManager=one&fieldValidation=Strict`, { ...configMap('b'), data: { a: 5 } }),
        applyPatch(`${cms}/b?fieldManager=one`, configMap('b', { data: null, metadata: { labels: { a: null } } })),
      ],
    },
    {
      title: 'apply of a deployment',
      steps: [
        applyPatch(`${deployments}/d?fieldManager=one`, deployment()),
        get(`${deployments}/d`),
        applyPatch(`${deployments}/d?fieldManager=two`, {
          ...object('apps/v1', 'Deployment', 'd'),
          ...podSpec({ containers: [{ name: 'two', image: 'two:9' }] }),
        }),
        applyPatch(`${deployments}/d?fieldManager=two`, {
          ...object('apps/v1', 'Deployment', 'd'),
          ...podSpec({ containers: [{ name: 'side', image: 's:1', ports: [{ containerPort: 90 }] }] }),
        }),
        applyPatch(
          `${deployments}/d?fieldManager=one`,
          deployment({ replicas: 3 }, { env: [{ name: 'A', value: '1' }] }),
        ),
        mergePatch(`${deployments}/d/scale?fieldManager=scaler`, { spec: { replicas: 5 } }),
        applyPatch(`${deployments}/d?fieldManager=one`, deployment({ replicas: 3 })),
        applyPatch(`${deployments}/d?fieldManager=one`, deployment()),
        applyPatch(`${deployments}/d/status?fieldManager=ctl`, {
          ...object('apps/v1', 'Deployment', 'd'),
          status: { observedGeneration: 1, replicas: 2 },
        }),
        applyPatch(`${deployments}/d/scale?fieldManager=scale2&force=true`, {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: 'd' },
          spec: { replicas: 7 },
        }),
        applyPatch(
          `${deployments}/d?fieldManager=one`,
          deployment({}, { ports: [{ containerPort: 80 }, { containerPort: 80 }] }),
        ),
        applyPatch(`${deployments}/d?fieldManager=one`, deployment({ selector: { matchLabels: { app: 'z' } } })),
      ],
    },
    {
      title: 'apply after update',
      steps: [
        post(
          `${services}?fieldManager=maker`,
          object('v1', 'Service', 's', { spec: { ports: [{ name: 'a', port: 80 }] } }),
          { save: { s: '' } },
        ),
        applyPatch(
          `${services}/s?fieldManager=one`,
          object('v1', 'Service', 's', { spec: { ports: [{ name: 'a', port: 80, targetPort: 8080 }] } }),
        ),
        applyPatch(
          `${services}/s?fieldManager=one&force=true`,
          object('v1', 'Service', 's', { spec: { ports: [{ name: 'a', port: 80, targetPort: 8080 }] } }),
        ),
        put(
          `${services}/s?fieldManager=maker`,
          { metadata: { resourceVersion: null, labels: { l: '1' } } },
          { base: 's' },
        ),
        put(
          `${services}/s?fieldManager=maker`,
          { metadata: { resourceVersion: null, managedFields: [{}] } },
          { base: 's' },
        ),
        get(`${services}/s`),
        applyPatch(
          `${services}/s?fieldManager=one`,
          object('v1', 'Service', 's', { metadata: { labels: { l: '2' } } }),
        ),
      ],
    },
    {
      title: 'YAML in apply',
      steps: [
        {
          method: 'PATCH',
          path: `${cms}/from-yaml?fieldManager=one`,
          raw: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-yaml\n  labels: {a: b}\ndata:\n  k: |\n    text\n',
          contentType: 'application/apply-patch+yaml',
        },
        {
          method: 'PATCH',
          path: `${cms}/from-yaml?fieldManager=one`,
          raw: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-yaml\ndata:\n  k: a\n  k: b\n',
          contentType: 'application/apply-patch+yaml',
        },
      ],
    },
  ],
};
