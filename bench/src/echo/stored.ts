/**
 * Fills a store with thousands of objects in seconds: one is made through the API, so that it is exactly what a server stores, and copies
 * of it under other names go straight into etcd.
 */
import { askEtcd } from '@coxswain/testing';

const batch = 100;

interface Value {
  readonly key: string;
  readonly value: string;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The stored text of a key. @throws Error when there is none */
export async function storedAt(url: string, key: string): Promise<string> {
  const { kvs = [] } = (await askEtcd(url, 'kv/range', { key: base64(key) })) as { kvs?: readonly { value: string }[] };
  if (!kvs[0]) throw new Error(`etcd has no ${key}`);
  return Buffer.from(kvs[0].value, 'base64').toString();
}

/**
 * Puts all values, a hundred in a transaction, and the last one once more by itself. An API server writes one object a revision and so
 * counts itself up to date with the first of many: a list at the revision of the last hundred could lack some of them.
 */
export async function store(url: string, values: Iterable<Value>): Promise<void> {
  let puts: object[] = [];
  let last: object | undefined;
  const flush = async () => {
    if (puts.length > 0) await askEtcd(url, 'kv/txn', { success: puts });
    puts = [];
  };
  for (const { key, value } of values) {
    last = { requestPut: { key: base64(key), value: base64(value) } };
    puts.push(last);
    if (puts.length === batch) await flush();
  }
  await flush();
  if (last) puts.push(last);
  await flush();
}
