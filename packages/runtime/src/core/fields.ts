/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object, neither null nor a list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
