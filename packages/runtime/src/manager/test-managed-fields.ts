// Says in an applied object who applied what, as a server does: maps field by field, owners by UID, anything else whole.
// For the tests of these rooms; not exported.
type Fields = Record<string, unknown>;

/** Puts `metadata.managedFields` into `object`. */
export function stampManagedFields(object: Fields, manager: string): void {
  const { apiVersion, kind: _kind, metadata, ...rest } = object;
  const { name: _name, namespace: _namespace, ...said } = metadata as Fields;
  const fieldsV1 = fieldsOf({ metadata: said, ...rest });
  (metadata as Fields).managedFields = [{ manager, operation: 'Apply', apiVersion, fieldsType: 'FieldsV1', fieldsV1 }];
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null) return {};
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [`f:${name}`, fieldsOf(item)]));
  const owners = value.filter((item) => typeof item === 'object' && item !== null && 'uid' in item);
  return Object.fromEntries(owners.map(({ uid }) => [`k:${JSON.stringify({ uid })}`, {}]));
}
