import type { KubeObject } from '@coxswain/k8s';
import { jsonBytes } from './json-bytes.ts';
import type { StorageEvent, StorageKey } from './types.ts';

/** One commit as written to the log. Without `object` it is a deletion. */
export interface LogRecord {
  readonly rv: number;
  readonly key: StorageKey;
  readonly object?: KubeObject;
  readonly deleted?: true;
}

/** What the payload of every log record begins with. */
export const recordStart = '{"rv":';

const close = Buffer.from('}');

/** The payload of a commit, in parts: the bytes of the object are the ones that readers get. */
export function recordParts(event: StorageEvent): readonly Buffer[] {
  const { resource, namespace, name } = event.key;
  const head = `${recordStart}${event.revision},"key":${JSON.stringify({ resource, namespace, name })},`;
  if (event.type === 'deleted') return [Buffer.from(`${head}"deleted":true}`)];
  return [Buffer.from(`${head}"object":`), jsonBytes(event.object), close];
}

/** @throws SyntaxError or TypeError when the payload is not a record */
export function parseRecord(payload: Buffer): LogRecord {
  const record = JSON.parse(payload.toString('utf8')) as Partial<LogRecord> | null;
  const { rv, key, object, deleted } = record ?? {};
  if (typeof rv !== 'number' || typeof key?.name !== 'string' || (!object && !deleted))
    throw new TypeError('not a log record');
  return record as LogRecord;
}
