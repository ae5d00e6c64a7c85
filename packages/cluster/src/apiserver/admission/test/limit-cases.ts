import type { Case } from './cases.ts';
import { configure, namespaces, pod, post, scene } from './steps.ts';

function limits(name: string, items: readonly object[], steps: readonly object[]): Case {
  const range = configure(`${namespaces}/${name}/limitranges`, { metadata: { name: 'l' }, spec: { limits: items } });
  return { title: name, steps: [...scene(name), range, ...(steps as Case['steps'])] };
}

const claim = (name: string, storage: string) => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
});

export const limitCases: readonly Case[] = [
  limits(
    'limit-defaults',
    [{ type: 'Container', default: { cpu: '1', memory: '1Gi' }, defaultRequest: { cpu: '500m' } }],
    [
      post('limit-defaults', 'pods', pod('a', [{}, { resources: { limits: { cpu: '2' } } }])),
      post('limit-defaults', 'pods', pod('b', [{}], { initContainers: [{ name: 'i', image: 'i' }] })),
      post('limit-defaults', 'pods', pod('c', [{ resources: { limits: { cpu: '250m' } } }])),
    ],
  ),
  limits(
    'limit-container',
    [{ type: 'Container', min: { cpu: '100m' }, max: { cpu: '1' }, maxLimitRequestRatio: { cpu: '2' } }],
    [
      post(
        'limit-container',
        'pods',
        pod('low', [{ resources: { requests: { cpu: '50m' }, limits: { cpu: '100m' } } }]),
      ),
      post(
        'limit-container',
        'pods',
        pod('high', [{ resources: { requests: { cpu: '1500m' }, limits: { cpu: '2' } } }]),
      ),
      post(
        'limit-container',
        'pods',
        pod('wide', [{ resources: { requests: { cpu: '300m' }, limits: { cpu: '1' } } }]),
      ),
      post(
        'limit-container',
        'pods',
        pod('fits', [{ resources: { requests: { cpu: '500m' }, limits: { cpu: '1' } } }]),
      ),
      post('limit-container', 'pods', pod('both', [{ resources: { requests: { cpu: '50m' }, limits: { cpu: '2' } } }])),
      post('limit-container', 'pods', {
        ...pod('x', [{ resources: { requests: { cpu: '50m' }, limits: { cpu: '100m' } } }]),
        metadata: { generateName: 'gen-' },
      }),
    ],
  ),
  limits(
    'limit-pod',
    [{ type: 'Pod', min: { memory: '64Mi' }, max: { memory: '1Gi' } }],
    [
      post('limit-pod', 'pods', pod('none', [{}])),
      post(
        'limit-pod',
        'pods',
        pod('sum', [{ resources: { limits: { memory: '800Mi' } } }, { resources: { limits: { memory: '800Mi' } } }]),
      ),
      post('limit-pod', 'pods', pod('small', [{ resources: { limits: { memory: '32Mi' } } }])),
      post('limit-pod', 'pods', pod('fits', [{ resources: { limits: { memory: '100Mi' } } }])),
    ],
  ),
  limits(
    'limit-claim',
    [{ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '5Gi' } }],
    [
      post('limit-claim', 'persistentvolumeclaims', claim('small', '500Mi')),
      post('limit-claim', 'persistentvolumeclaims', claim('big', '6Gi')),
      post('limit-claim', 'persistentvolumeclaims', claim('fits', '5Gi')),
    ],
  ),
];
