import type { StorageEvent, StorageKey } from './types.ts';

/** One commit as written to the log. Without `json` it is a deletion. */
export interface LogRecord {
  readonly rv: number;
  readonly key: StorageKey;
  /** The text of the object. */
  readonly json?: Buffer;
}

/** What the payload of every log record begins with. */
export const recordStart = '{"rv":';

const close = Buffer.from('}');
const closing = 0x7d;

/** The payload of a commit, in parts: the bytes of the object are the ones that readers get. */
export function recordParts(event: StorageEvent): readonly Buffer[] {
  const { resource, namespace, name } = event.key;
  const head = `${recordStart}${event.revision},"key":${JSON.stringify({ resource, namespace, name })},`;
  if (event.type === 'deleted') return [Buffer.from(`${head}"deleted":true}`)];
  return [Buffer.from(`${head}"object":`), event.state.json, close];
}

/** @throws SyntaxError or TypeError when the payload is not a record */
export function parseRecord(payload: Buffer): LogRecord {
  const { head, json } = splitObject(payload);
  const { rv, key, deleted } = (head ?? {}) as { rv?: unknown; key?: StorageKey; deleted?: unknown };
  if (typeof rv !== 'number' || typeof key?.name !== 'string' || (!json && !deleted))
    throw new TypeError('not a log record');
  return { rv, key, ...(json ? { json } : {}) };
}

const objectField = Buffer.from(',"object":{');

/**
 * The text of the field `object`, which is the last of a payload, and the rest as a value. Quotes inside of strings are escaped in JSON,
 * so the name of the field can be told from text. The object itself is as its checksum says; it is read when it is wanted.
 * @throws SyntaxError or TypeError
 */
export function splitObject(payload: Buffer): { readonly head: unknown; readonly json?: Buffer } {
  const at = payload.indexOf(objectField);
  if (at < 0) return { head: JSON.parse(payload.toString('utf8')) };
  const json = Buffer.from(payload.subarray(at + objectField.length - 1, -1));
  if (json.at(-1) !== closing || payload.at(-1) !== closing) throw new TypeError('the object is not whole');
  return { head: JSON.parse(`${payload.toString('utf8', 0, at)}}`), json };
}
