/** Our own words on what makes an object one: the only ones that a custom kind gets besides its own. */
export const identityTexts: Readonly<Record<string, string>> = {
  apiVersion: 'APIVersion defines the group and version that the object is written in, such as v1 or apps/v1.',
  kind: 'Kind says what the object is, in CamelCase.',
  metadata:
    "Standard object's metadata: name, namespace, labels, annotations, owners and what the server keeps of the object.",
};

/** On what every object of a built-in kind has. Documents have none on the rest of the built-in types. */
export const objectTexts: Readonly<Record<string, string>> = {
  ...identityTexts,
  spec: 'What is wanted.',
  status: 'What is observed. Written by the system.',
};

export const listTexts: Readonly<Record<string, string>> = {
  apiVersion: objectTexts.apiVersion ?? '',
  kind: objectTexts.kind ?? '',
  metadata: 'Standard list metadata: the version of the list, and how it goes on.',
  items: 'The objects.',
};

export const metadataTexts: Readonly<Record<string, string>> = {
  annotations: 'Texts that programs keep with the object.',
  creationTimestamp: 'CreationTimestamp is a timestamp: when the server stored the object first.',
  deletionGracePeriodSeconds: 'Seconds until the object is removed, once it is marked as going.',
  deletionTimestamp: 'When the object is to be gone. Set by the server.',
  finalizers: 'Who has to agree before the object may go.',
  generateName: 'The beginning of a name that the server makes.',
  generation: 'Counts what was wanted so far.',
  labels: 'What objects are selected by.',
  managedFields: 'Who has written which fields.',
  name: 'Unique among the objects of its kind in its namespace.',
  namespace: 'Where the object is.',
  ownerReferences: 'Whom the object goes with.',
  resourceVersion: 'Changes with every write.',
  uid: 'Never used twice. Set by the server.',
};

/** The schema with texts on those of its properties that have none. */
export function withTexts<T extends Readonly<Record<string, unknown>>>(
  schema: T,
  texts: Readonly<Record<string, string>>,
): T {
  const { properties } = schema;
  if (typeof properties !== 'object' || properties === null) return schema;
  const entries = Object.entries(properties as Readonly<Record<string, object>>).map(([name, node]) => [
    name,
    texts[name] === undefined || 'description' in node ? node : { description: texts[name], ...node },
  ]);
  return { ...schema, properties: Object.fromEntries(entries) };
}
