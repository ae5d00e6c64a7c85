import { expect, test } from 'vitest';
import { requestMeaning } from './index.ts';

const meaning = (text: string) => {
  const [method = '', address = ''] = text.split(' ');
  const url = new URL(address, 'http://host');
  const { verb, group, resource, subresource, namespace, name } = requestMeaning(
    method,
    url.pathname,
    Object.fromEntries(url.searchParams),
  );
  return [verb, group, resource, subresource, namespace, name].join(' ').trim();
};

test.each([
  ['GET /api/v1/namespaces/default/pods/web', 'get  pods  default web'],
  ['GET /api/v1/pods', 'list  pods'],
  ['GET /api/v1/pods?watch=true', 'watch  pods'],
  ['GET /api/v1/namespaces/a/pods?watch=true&fieldSelector=metadata.name%3Dx', 'watch  pods  a x'],
  ['PATCH /apis/apps/v1/namespaces/a/deployments/x/scale', 'patch apps deployments scale a x'],
  ['DELETE /apis/apps/v1/namespaces/a/deployments', 'deletecollection apps deployments  a'],
  ['DELETE /apis/apps/v1/namespaces/a/deployments/x', 'delete apps deployments  a x'],
  ['POST /api/v1/namespaces/a/pods/x/eviction', 'create  pods eviction a x'],
  ['PUT /api/v1/namespaces/a/finalize', 'update  namespaces finalize a a'],
  ['GET /api/v1/namespaces/a', 'get  namespaces  a a'],
  ['POST /api/v1/namespaces', 'create  namespaces'],
  [
    'PUT /apis/rbac.authorization.k8s.io/v1/clusterroles/system:x',
    'update rbac.authorization.k8s.io clusterroles   system:x',
  ],
  ['GET /apis/apps/v1', 'get'],
  ['GET /version', 'get'],
])('%s', (request, expected) => expect(meaning(request)).toBe(expected));
