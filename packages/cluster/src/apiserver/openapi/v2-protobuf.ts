import {
  any,
  bool,
  choice,
  double,
  each,
  type Fields,
  int,
  type Message,
  message,
  named,
  one,
  text,
  wrapper,
} from './protobuf.ts';

/** The messages of `openapi.v2` (gnostic), as far as documents of this server use them. */

const limits: Fields = [
  ['multipleOf', 6, double],
  ['maximum', 7, double],
  ['exclusiveMaximum', 8, bool],
  ['minimum', 9, double],
  ['exclusiveMinimum', 10, bool],
  ['maxLength', 11, int],
  ['minLength', 12, int],
  ['pattern', 13, text],
  ['maxItems', 14, int],
  ['minItems', 15, int],
  ['uniqueItems', 16, bool],
  ['maxProperties', 17, int],
  ['minProperties', 18, int],
];

const schema: Message = (writer, value) => schemaMessage(writer, value);

const schemaOrBoolean: Message = (writer, value) =>
  typeof value === 'boolean' ? bool(writer, 2, value) : one(schema)(writer, 1, value);

const schemaMessage = message(
  [
    ['$ref', 1, text],
    ['format', 2, text],
    ['title', 3, text],
    ['description', 4, text],
    ['default', 5, any],
    ...limits,
    ['required', 19, each(text)],
    ['enum', 20, each(any)],
    ['additionalProperties', 21, one(schemaOrBoolean)],
    ['type', 22, one(wrapper(1, text))],
    ['items', 23, one(wrapper(1, one(schema)))],
    ['allOf', 24, each(one(schema))],
    ['properties', 25, one(wrapper(1, named(schema)))],
    ['example', 30, any],
  ],
  31,
);

const bodyParameter = message([
  ['description', 1, text],
  ['name', 2, text],
  ['in', 3, text],
  ['required', 4, bool],
  ['schema', 5, one(schema)],
]);

const common: Fields = [
  ['required', 1, bool],
  ['in', 2, text],
  ['description', 3, text],
  ['name', 4, text],
];
const queryParameter = message([...common, ['type', 6, text], ['uniqueItems', 20, bool]]);
const pathParameter = message([...common, ['type', 5, text], ['uniqueItems', 19, bool]]);

const parameter = choice((value) => {
  if (value.in === 'body') return wrapper(1, one(bodyParameter));
  const own = value.in === 'path' ? wrapper(4, one(pathParameter)) : wrapper(3, one(queryParameter));
  return wrapper(2, one(own));
});

const parameters = each(one(wrapper(1, one(parameter))));

const response = message([
  ['description', 1, text],
  ['schema', 2, one(wrapper(1, one(schema)))],
]);

const operation = message(
  [
    ['tags', 1, each(text)],
    ['description', 3, text],
    ['operationId', 5, text],
    ['produces', 6, each(text)],
    ['consumes', 7, each(text)],
    ['parameters', 8, parameters],
    ['responses', 9, one(wrapper(1, named(wrapper(1, one(response)))))],
    ['schemes', 10, each(text)],
  ],
  13,
);

const pathItem = message([
  ['get', 2, one(operation)],
  ['put', 3, one(operation)],
  ['post', 4, one(operation)],
  ['delete', 5, one(operation)],
  ['options', 6, one(operation)],
  ['head', 7, one(operation)],
  ['patch', 8, one(operation)],
  ['parameters', 9, parameters],
]);

const apiKey = message([
  ['type', 1, text],
  ['name', 2, text],
  ['in', 3, text],
  ['description', 4, text],
]);

/** An OpenAPI v2 document as bytes of `openapi.v2.Document`. */
export const v2Protobuf: Message = message([
  ['swagger', 1, text],
  [
    'info',
    2,
    one(
      message([
        ['title', 1, text],
        ['version', 2, text],
      ]),
    ),
  ],
  ['paths', 8, one(wrapper(2, named(pathItem)))],
  ['definitions', 9, one(wrapper(1, named(schema)))],
  ['security', 12, each(one(wrapper(1, named(wrapper(1, each(text))))))],
  ['securityDefinitions', 13, one(wrapper(1, named(wrapper(2, one(apiKey)))))],
]);
