import type { Mask } from './mask.ts';

/** How deep values are written out, counted from the line; Kubernetes objects are seldom deeper than 12. */
const depthLimit = 24;
/** About how many characters the values of one line come to. */
const lineLimit = 262_144;
/** Members of one AggregateError that are written out. */
const errorsLimit = 10;

const unreadable = '[not readable]';
const cut = '[cut off]';

/** What is known while the values of one line are written out. */
interface Walk {
  readonly mask: Mask;
  /** The objects that the value is in. */
  readonly path: object[];
  /** Characters that may still come. */
  left: number;
}

/**
 * The values of a log line as `JSON.stringify` takes them without fail: masked; errors with their message, stack, causes and, when they
 * are several, those; circles, depths, lengths and what cannot be read as a word in brackets.
 */
export function loggable(fields: object, mask: Mask): object {
  const walk: Walk = { mask, path: [], left: lineLimit };
  return shown('', fields, { '': fields }, walk) as object;
}

function shown(key: string, value: unknown, holder: object, walk: Walk): unknown {
  try {
    const masked = walk.mask(key, plain(key, value), holder);
    if (typeof masked === 'string') return shortened(masked, walk);
    if (typeof masked === 'bigint') return String(masked);
    if (typeof masked !== 'object' || masked === null) return masked;
    if (walk.path.includes(masked)) return '[circular]';
    if (walk.path.length >= depthLimit) return '[too deep]';
    walk.path.push(masked);
    try {
      return Array.isArray(masked) ? items(masked, walk) : members(masked, walk);
    } finally {
      walk.path.pop();
    }
  } catch {
    return unreadable;
  }
}

/** As it says itself what it is as JSON: times, buffers. */
function plain(key: string, value: unknown): unknown {
  const { toJSON } = (value ?? {}) as { readonly toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON.call(value, key) as unknown) : value;
}

function shortened(text: string, walk: Walk): string {
  const over = text.length - Math.max(0, walk.left);
  walk.left -= text.length;
  return over > 0 ? `${text.slice(0, text.length - over)}[${over} characters more]` : text;
}

function items(list: readonly unknown[], walk: Walk): unknown[] {
  const all: unknown[] = [];
  for (let i = 0; i < list.length; i++) {
    if (--walk.left < 0) return [...all, cut];
    all.push(shown(String(i), list[i], list, walk));
  }
  return all;
}

function members(object: object, walk: Walk): object {
  const error = object instanceof Error ? errorFields(object) : undefined;
  const source = (error ?? object) as Readonly<Record<string, unknown>>;
  const all: [string, unknown][] = [];
  for (const key of Object.keys(source)) {
    walk.left -= key.length;
    if (walk.left < 0) {
      all.push([cut, true]);
      break;
    }
    all.push([key, shown(key, read(source, key), source, walk)]);
  }
  return Object.fromEntries(all);
}

function read(source: Readonly<Record<string, unknown>>, key: string): unknown {
  try {
    return source[key];
  } catch {
    return unreadable;
  }
}

/** What an error says and what it came from; an error has most of it where `Object.keys` does not look. */
function errorFields(error: Error): object {
  const { name, message, stack, cause } = error;
  const { errors } = error as { readonly errors?: unknown };
  const more = Array.isArray(errors) ? errors.length - errorsLimit : 0;
  return Object.assign(
    { name, message, stack },
    error,
    cause === undefined ? {} : { cause },
    Array.isArray(errors) ? { errors: errors.slice(0, errorsLimit) } : {},
    more > 0 ? { moreErrors: more } : {},
  );
}
