import { emulatedVersion } from '../discovery/version.ts';
import type { ResourceInfo } from '../types.ts';
import { Components } from './components.ts';
import { addResource } from './kinds.ts';
import { pathsOf } from './paths.ts';

/** The OpenAPI v3 document of one group and version: its kinds, what they are made of, and the operations on them. */
export function openApiDocument(resources: readonly ResourceInfo[]): object {
  const components = new Components();
  for (const resource of resources) addResource(components, resource);
  const paths = pathsOf(resources, components);
  const names = Object.keys(components.schemas).sort();
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: `v${emulatedVersion}` },
    paths,
    components: { schemas: Object.fromEntries(names.map((name) => [name, components.schemas[name]])) },
  };
}
