/** Answers of 500 and above that the real server gives too, by their text (in whatever encoding), with the reason. */
const expected: readonly (readonly [RegExp, string])[] = [
  [/resourceVersion should not be set on objects to be created/, 'The real server answers 500 to such a create.'],
  [/resourceVersion: Invalid value: .*strconv\.ParseUint/, 'A watch from a version that is no number is 500.'],
  [/failed to create typed (patch|live) object/, 'What does not fit the schema is 500 in an apply.'],
  [/Too large resource version: /, 'A version to come is waited for, then 504.'],
  [/no preferred addresses found; known addresses/, 'A node of which nobody knows the address.'],
  [/unknown patch type: /, 'A directive of a strategic merge patch that there is not is 500.'],
  [/etcdserver: request is too large/, 'More than etcd takes is 500.'],
  [/Timeout: /, 'The time that `timeout` allows is over.'],
  [/failed calling webhook|conversion webhook for .* failed/, 'A webhook that nobody serves.'],
  [/no endpoints available for service|error trying to reach service/, 'A proxy to what is not there is 503.'],
];

/** Why an answer of 500 or above is right. */
export function whyExpected(text: string): string | undefined {
  return expected.find(([pattern]) => pattern.test(text))?.[1];
}
