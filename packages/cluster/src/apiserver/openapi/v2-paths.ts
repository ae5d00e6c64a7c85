import type { HttpMethod, Operation, Operations } from './operation.ts';
import { type Parameter, sameParameter, sorted } from './parameters.ts';
import { definition } from './v2-schema.ts';

const words: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 401: 'Unauthorized' };
const order: readonly HttpMethod[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

/** Media types in the order in which version 2 lists them. */
const typeOrder = [
  'text/plain',
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

const inOrder = (types: readonly string[]): readonly string[] =>
  [...types].sort((a, b) => typeOrder.indexOf(a) - typeOrder.indexOf(b));

function parameterOf({ name, in: where, type }: Parameter): object {
  return { uniqueItems: true, type, name, in: where, ...(where === 'path' ? { required: true } : {}) };
}

function bodyOf({ schema, required }: NonNullable<Operation['body']>): object {
  return { name: 'body', in: 'body', ...(required ? { required: true } : {}), schema: definition(schema) };
}

/** What an operation says it takes, with a body or without one. */
const takes = ({ action, answer, body, produces }: Operation): readonly string[] => {
  if (body) return inOrder(body.types);
  if (action === undefined) return answer?.$ref === undefined ? [] : inOrder(produces);
  const custom = !produces.includes('application/vnd.kubernetes.protobuf') && !produces.includes('*/*');
  return custom ? ['application/json', 'application/yaml'] : ['*/*'];
};

function operationOf(operation: Operation, common: readonly Parameter[]): object {
  const { id, tag, action, kind, body, codes, answer, produces } = operation;
  const own = operation.parameters.filter((one) => !common.some((other) => sameParameter(one, other)));
  const parameters = [...(body ? [bodyOf(body)] : []), ...sorted(own).map(parameterOf)];
  const schema = answer ? { schema: definition(answer) } : {};
  const success = codes.map((code): [string, object] => [String(code), { description: words[code], ...schema }]);
  return {
    ...(takes(operation).length > 0 ? { consumes: takes(operation) } : {}),
    produces: inOrder(produces),
    schemes: ['https'],
    tags: [tag],
    operationId: id,
    ...(parameters.length > 0 ? { parameters } : {}),
    responses: { ...Object.fromEntries(success), 401: { description: words[401] } },
    ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
    ...(kind ? { 'x-kubernetes-group-version-kind': kind } : {}),
  };
}

/** The paths of an OpenAPI v2 document. */
export function v2Paths(operations: Operations): Readonly<Record<string, object>> {
  const entries = [...operations.keys()].sort().map((path): [string, object] => {
    const all = operations.get(path) ?? [];
    const [first, ...rest] = all;
    const common = (first?.parameters ?? []).filter((one) =>
      rest.every(({ parameters }) => parameters.some((other) => sameParameter(one, other))),
    );
    const described = order.flatMap((method): [string, object][] => {
      const operation = all.find((one) => one.method === method);
      return operation ? [[method, operationOf(operation, common)]] : [];
    });
    const shared = common.length > 0 ? { parameters: sorted(common).map(parameterOf) } : {};
    return [path, { ...Object.fromEntries(described), ...shared }];
  });
  return Object.fromEntries(entries);
}
