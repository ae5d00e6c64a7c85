/** Values by name, for `{name}`. */
export type Variables = ReadonlyMap<string, unknown>;

const reference = /\{([\w.-]+)\}/g;

function savedValue(variables: Variables, name: string): unknown {
  if (!variables.has(name))
    throw new Error(`nothing was saved as "${name}"; saved: ${[...variables.keys()].join(', ')}`);
  return variables.get(name);
}

/** The text with all references filled in, percent-encoded. */
export function fillPath(text: string, variables: Variables): string {
  return text.replaceAll(reference, (_, name: string) => encodeURIComponent(String(savedValue(variables, name))));
}

/** The value with the references of all its strings and keys filled in; a string that is one reference becomes the value itself. */
export function fillBody(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') {
    const whole = /^\{([\w.-]+)\}$/.exec(value);
    if (whole?.[1]) return savedValue(variables, whole[1]);
    return value.replaceAll(reference, (_, name: string) => String(savedValue(variables, name)));
  }
  if (Array.isArray(value)) return value.map((item) => fillBody(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, fillBody(part, variables)]));
}

/** The part of a value at a dotted path; '' is the value. */
export function partAt(value: unknown, path: string): unknown {
  if (path === '') return value;
  let at = value;
  for (const key of path.split('.')) at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined;
  return at;
}

/** RFC 7386, for bodies that are made of earlier answers. */
export function merged(base: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> =
    typeof base === 'object' && base !== null && !Array.isArray(base) ? { ...base } : {};
  for (const [key, part] of Object.entries(patch)) {
    if (part === null) delete result[key];
    else result[key] = merged(result[key], part);
  }
  return result;
}
