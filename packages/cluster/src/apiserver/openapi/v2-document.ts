import { servedGroups } from '../discovery/groups.ts';
import type { Registry, ResourceInfo } from '../types.ts';
import { Components, customSchemas } from './components.ts';
import { customSchemaV2 } from './custom-schema.ts';
import { allOperations, bearerToken, info } from './document.ts';
import type { Operations } from './operation.ts';
import { pathItemsOf } from './path-items.ts';
import { groupOperations, plainDocuments } from './plain-operations.ts';
import { v2Paths } from './v2-paths.ts';
import { definition, namedDefinition } from './v2-schema.ts';

/** The operations on everything that is served. */
function everything(registry: Registry): Operations {
  const all: Operations = new Map();
  const add = (operations: Operations) => {
    for (const [path, those] of operations) all.set(path, those);
  };
  for (const operations of Object.values(plainDocuments)) add(operations);
  for (const { name, versions } of servedGroups(registry)) {
    const builtIn = versions.some(({ resources }) => resources.some((resource) => resource.builtIn));
    if (name !== '' && builtIn) add(groupOperations(name));
    for (const { version, resources } of versions) add(allOperations(name, version, resources));
  }
  return all;
}

function definitionsOf(operations: Operations, custom: readonly ResourceInfo[]): Readonly<Record<string, object>> {
  const components = new Components();
  for (const resource of custom) components.publish(resource);
  components.want(pathItemsOf(operations));
  const definitions: Record<string, object> = {};
  for (const [name, schema] of Object.entries(components.schemas())) definitions[name] = namedDefinition(name, schema);
  for (const resource of custom) {
    const [[name, schema] = [], [listName, list] = []] = customSchemas(resource, customSchemaV2);
    if (name !== undefined && schema) definitions[name] = schema;
    if (listName !== undefined) definitions[listName] = definition(list);
  }
  return Object.fromEntries(
    Object.keys(definitions)
      .sort()
      .map((name) => [name, definitions[name] ?? {}]),
  );
}

/** The OpenAPI v2 document of all that is served. */
export function openApiV2Document(registry: Registry): object {
  const operations = everything(registry);
  const custom = registry.all().filter(({ builtIn }) => !builtIn);
  return {
    swagger: '2.0',
    info,
    paths: v2Paths(operations),
    definitions: definitionsOf(operations, custom),
    securityDefinitions: bearerToken,
    security: [{ BearerToken: [] }],
  };
}
