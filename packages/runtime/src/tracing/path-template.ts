/**
 * The path of a Kubernetes request without the names in it, of which there are few:
 * `/api/v1/namespaces/{namespace}/pods/{name}/log`. Other paths stay as they are.
 */
export function pathTemplate(path: string): string {
  const parts = path.split('/');
  const first = parts[1] === 'apis' ? 4 : 3;
  if ((parts[1] !== 'apis' && parts[1] !== 'api') || parts.length <= first) return path;
  const head = parts.slice(0, first);
  let rest = parts.slice(first);
  // `namespaces/x`, `namespaces/x/status` and `namespaces/x/finalize` are of the namespace itself.
  if (rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status' && rest[2] !== 'finalize') {
    head.push('namespaces', '{namespace}');
    rest = rest.slice(2);
  }
  const [resource = '', name, subresource, below] = rest;
  head.push(resource);
  if (name !== undefined) head.push('{name}');
  if (subresource !== undefined) head.push(subresource);
  if (below !== undefined) head.push('{path}');
  return head.join('/');
}
