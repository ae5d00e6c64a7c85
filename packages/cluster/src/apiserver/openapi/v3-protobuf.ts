import {
  any,
  bool,
  type Coder,
  choice,
  double,
  each,
  int,
  type Message,
  message,
  named,
  one,
  text,
  wrapper,
} from './protobuf.ts';

/** The messages of `openapi.v3` (gnostic), as far as documents of this server use them. */

const reference = message([
  ['$ref', 1, text],
  ['description', 3, text],
]);

const schema: Message = (writer, value) => schemaMessage(writer, value);

const schemaOrReference: Message = choice((value) =>
  value.$ref === undefined ? wrapper(1, one(schema)) : wrapper(2, one(reference)),
);

const schemaOrBoolean: Message = (writer, value) =>
  typeof value === 'boolean' ? bool(writer, 2, value) : one(schemaOrReference)(writer, 1, value);

/** Numbers, truth values and texts; a default of another form has no place. */
const byType: Readonly<Record<string, Message>> = {
  number: wrapper(1, double),
  boolean: wrapper(2, bool),
  string: wrapper(3, text),
};
const plainDefault: Coder = (writer, number, value) => {
  const own = byType[typeof value];
  if (own) one(own)(writer, number, value);
};

const schemaMessage = message(
  [
    ['nullable', 1, bool],
    ['example', 7, any],
    ['title', 9, text],
    ['multipleOf', 10, double],
    ['maximum', 11, double],
    ['exclusiveMaximum', 12, bool],
    ['minimum', 13, double],
    ['exclusiveMinimum', 14, bool],
    ['maxLength', 15, int],
    ['minLength', 16, int],
    ['pattern', 17, text],
    ['maxItems', 18, int],
    ['minItems', 19, int],
    ['uniqueItems', 20, bool],
    ['maxProperties', 21, int],
    ['minProperties', 22, int],
    ['required', 23, each(text)],
    ['enum', 24, each(any)],
    ['type', 25, text],
    ['allOf', 26, each(one(schemaOrReference))],
    ['oneOf', 27, each(one(schemaOrReference))],
    ['anyOf', 28, each(one(schemaOrReference))],
    ['not', 29, one(schema)],
    ['items', 30, one(wrapper(1, one(schemaOrReference)))],
    ['properties', 31, one(wrapper(1, named(schemaOrReference)))],
    ['additionalProperties', 32, one(schemaOrBoolean)],
    ['default', 33, plainDefault],
    ['description', 34, text],
    ['format', 35, text],
  ],
  36,
);

const mediaTypes = wrapper(1, named(message([['schema', 1, one(schemaOrReference)]])));

const parameter = message([
  ['name', 1, text],
  ['in', 2, text],
  ['description', 3, text],
  ['required', 4, bool],
  ['schema', 10, one(schemaOrReference)],
]);
const parameters = each(one(wrapper(1, one(parameter))));

const requestBody = message([
  ['content', 2, one(mediaTypes)],
  ['required', 3, bool],
]);

const response = message([
  ['description', 1, text],
  ['content', 3, one(mediaTypes)],
]);

const operation = message(
  [
    ['tags', 1, each(text)],
    ['description', 3, text],
    ['operationId', 5, text],
    ['parameters', 6, parameters],
    ['requestBody', 7, one(wrapper(1, one(requestBody)))],
    ['responses', 8, one(wrapper(2, named(wrapper(1, one(response)))))],
  ],
  13,
);

const pathItem = message([
  ['get', 4, one(operation)],
  ['put', 5, one(operation)],
  ['post', 6, one(operation)],
  ['delete', 7, one(operation)],
  ['options', 8, one(operation)],
  ['head', 9, one(operation)],
  ['patch', 10, one(operation)],
  ['parameters', 13, parameters],
]);

const securityScheme = message([
  ['type', 1, text],
  ['description', 2, text],
  ['name', 3, text],
  ['in', 4, text],
]);

/** An OpenAPI v3 document as bytes of `openapi.v3.Document`. */
export const v3Protobuf: Message = message([
  ['openapi', 1, text],
  [
    'info',
    2,
    one(
      message([
        ['title', 1, text],
        ['version', 6, text],
      ]),
    ),
  ],
  ['paths', 4, one(wrapper(1, named(pathItem)))],
  [
    'components',
    5,
    one(
      message([
        ['schemas', 1, one(wrapper(1, named(schemaOrReference)))],
        ['securitySchemes', 7, one(wrapper(1, named(wrapper(1, one(securityScheme)))))],
      ]),
    ),
  ],
]);
