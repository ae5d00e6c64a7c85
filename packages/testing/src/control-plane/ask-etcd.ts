/** Milliseconds that etcd may take for one answer. */
const patience = 10_000;

/**
 * Asks etcd through its JSON gateway; keys and values are base64 there.
 * @param url `http://127.0.0.1:PORT`
 * @param what below `/v3/`: `kv/range`, `kv/txn` …
 * @throws Error with what etcd said when it refuses
 */
export async function askEtcd(url: string, what: string, body: object): Promise<unknown> {
  const answer = await fetch(`${url}/v3/${what}`, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(patience),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`etcd ${what}: ${answer.status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
