/** Media types of requests and answers, as the documents list them. */
const protobuf = 'application/vnd.kubernetes.protobuf';
const plain = ['application/json', 'application/yaml'];
const patches = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
] as const;

/** What a resource takes and gives. */
export interface MediaTypes {
  readonly object: readonly string[];
  readonly list: readonly string[];
  readonly body: readonly string[];
  readonly patch: readonly string[];
}

export const builtinTypes: MediaTypes = {
  object: ['application/json', protobuf, 'application/yaml'],
  list: ['application/json', 'application/json;stream=watch', protobuf, `${protobuf};stream=watch`, 'application/yaml'],
  body: ['*/*'],
  patch: [...patches, 'application/strategic-merge-patch+json'],
};

export const customTypes: MediaTypes = { object: plain, list: plain, body: plain, patch: patches };
