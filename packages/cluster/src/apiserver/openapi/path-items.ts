import type { HttpMethod, Operation, Operations, PublishedSchema } from './operation.ts';
import { type Parameter, sameParameter, sorted } from './parameters.ts';

export type PathItem = Readonly<Record<string, unknown>>;

const words: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 401: 'Unauthorized' };
const order: readonly HttpMethod[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

function parameterOf({ name, in: where, type }: Parameter): object {
  return {
    name,
    in: where,
    ...(where === 'path' ? { required: true } : {}),
    schema: { type, uniqueItems: true },
  };
}

function contentOf(types: readonly string[], schema: PublishedSchema): object {
  return Object.fromEntries([...types].sort().map((type) => [type, { schema }]));
}

function operationOf(operation: Operation, common: readonly Parameter[]): object {
  const { id, tag, action, kind, body, codes, answer, produces } = operation;
  const own = operation.parameters.filter((one) => !common.some((other) => sameParameter(one, other)));
  const content = answer ? { content: contentOf(produces, answer) } : {};
  const success = codes.map((code): [string, object] => [String(code), { description: words[code], ...content }]);
  return {
    tags: [tag],
    operationId: id,
    ...(own.length > 0 ? { parameters: sorted(own).map(parameterOf) } : {}),
    ...(body
      ? { requestBody: { content: contentOf(body.types, body.schema), ...(body.required ? { required: true } : {}) } }
      : {}),
    responses: { ...Object.fromEntries(success), 401: { description: words[401] } },
    ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
    ...(kind ? { 'x-kubernetes-group-version-kind': kind } : {}),
  };
}

/** Parameters that all operations of a path share are said once, of the path. */
function pathItemOf(operations: readonly Operation[]): PathItem {
  const [first, ...rest] = operations;
  const common = (first?.parameters ?? []).filter((one) =>
    rest.every(({ parameters }) => parameters.some((other) => sameParameter(one, other))),
  );
  const described = order.flatMap((method): [string, object][] => {
    const operation = operations.find((one) => one.method === method);
    return operation ? [[method, operationOf(operation, common)]] : [];
  });
  return {
    ...Object.fromEntries(described),
    ...(common.length > 0 ? { parameters: sorted(common).map(parameterOf) } : {}),
  };
}

/** The paths of an OpenAPI v3 document. */
export function pathItemsOf(operations: Operations): Readonly<Record<string, PathItem>> {
  const paths = [...operations.keys()].sort();
  return Object.fromEntries(paths.map((path) => [path, pathItemOf(operations.get(path) ?? [])]));
}
