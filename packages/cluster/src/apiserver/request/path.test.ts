import { describe, expect, it } from 'vitest';
import { parseResourcePath } from './path.ts';

const none = { namespace: '', name: '', subresource: '', rest: '', watch: false };

describe('parseResourcePath', () => {
  it.each([
    ['/api/v1/pods', { ...none, group: '', version: 'v1', plural: 'pods' }],
    ['/api/v1/namespaces', { ...none, group: '', version: 'v1', plural: 'namespaces' }],
    ['/api/v1/namespaces/a', { ...none, group: '', version: 'v1', plural: 'namespaces', name: 'a' }],
    [
      '/api/v1/namespaces/a/finalize',
      { ...none, group: '', version: 'v1', plural: 'namespaces', name: 'a', subresource: 'finalize' },
    ],
    ['/api/v1/namespaces/a/pods/', { ...none, group: '', version: 'v1', namespace: 'a', plural: 'pods' }],
    [
      '/api/v1/namespaces/a/pods/b/log',
      { ...none, group: '', version: 'v1', namespace: 'a', plural: 'pods', name: 'b', subresource: 'log' },
    ],
    [
      '/api/v1/namespaces/a/services/b:http/proxy/x/y',
      {
        ...none,
        group: '',
        version: 'v1',
        namespace: 'a',
        plural: 'services',
        name: 'b:http',
        subresource: 'proxy',
        rest: 'x/y',
      },
    ],
    ['/apis/apps/v1/deployments', { ...none, group: 'apps', version: 'v1', plural: 'deployments' }],
    [
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/a%3Ab',
      { ...none, group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles', name: 'a:b' },
    ],
    [
      '/api/v1/watch/namespaces/a/pods/b',
      { ...none, group: '', version: 'v1', namespace: 'a', plural: 'pods', name: 'b', watch: true },
    ],
  ])('takes %s apart', (path, parts) => {
    expect(parseResourcePath(path)).toEqual(parts);
  });

  it.each(['/', '/api', '/api/v1', '/apis', '/apis/apps', '/apis/apps/v1', '/version', '/api/v1/pods/%E0%A4%A', ''])(
    'leaves %s to others',
    (path) => {
      expect(parseResourcePath(path)).toBeUndefined();
    },
  );
});
