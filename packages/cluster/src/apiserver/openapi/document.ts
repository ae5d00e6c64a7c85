import type { ResourceInfo } from '../types.ts';
import { Components } from './components.ts';
import type { GroupVersionKind, Operations } from './operation.ts';
import { operationsOf } from './operations.ts';
import { pathItemsOf } from './path-items.ts';
import { versionOperations } from './plain-operations.ts';

/** What documents say of themselves. */
export const info = { title: 'Kubernetes', version: '1.37' } as const;

export const bearerToken = {
  BearerToken: { type: 'apiKey', description: 'Bearer Token authentication', name: 'authorization', in: 'header' },
} as const;

/** The operations on one group and version; discovery is described with the built-in ones. */
export function allOperations(group: string, version: string, resources: readonly ResourceInfo[]): Operations {
  const builtIn = resources.some((resource) => resource.builtIn);
  return new Map([...(builtIn ? versionOperations(group, version) : []), ...operationsOf(resources)]);
}

/** Groups that the documents of custom kinds know nothing of. */
const notInClients: readonly string[] = [
  'admission.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'imagepolicy.k8s.io',
];

interface About {
  readonly resources: readonly ResourceInfo[];
  readonly group?: string;
  readonly version?: string;
}

/** The OpenAPI v3 document of these operations: their paths, and every type that they lead to. */
export function openApiDocument(operations: Operations, { resources, group, version }: About): object {
  const components = new Components();
  for (const resource of resources) if (!resource.builtIn) components.publish(resource);
  const paths = pathItemsOf(operations);
  components.want(paths);
  const custom = resources.length > 0 && resources.every((resource) => !resource.builtIn);
  const isOwn = (kind: GroupVersionKind) => kind.group === group && kind.version === version;
  const isCore = (kind: GroupVersionKind) => kind.group === '' && kind.version === 'v1';
  const schemas = components.schemas(
    custom ? ({ group: other }) => !notInClients.includes(other) : (kind) => isCore(kind) || isOwn(kind),
  );
  return {
    openapi: '3.0.0',
    info: custom ? { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' } : info,
    paths,
    components: {
      ...(Object.keys(schemas).length > 0 ? { schemas } : {}),
      ...(custom ? {} : { securitySchemes: bearerToken }),
    },
  };
}
