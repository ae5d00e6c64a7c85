/** Milliseconds that etcd may take for one answer. */
const patience = 10_000;

/**
 * Makes etcd forget all past states, through its HTTP gateway. The kube-apiserver over it keeps a window of its own in memory for
 * watches, and may go on serving from that.
 * @param url `http://127.0.0.1:PORT`
 */
export async function compactEtcd(url: string): Promise<void> {
  const { header } = (await ask(url, 'kv/range', { key: Buffer.from('\0').toString('base64') })) as Answer;
  await ask(url, 'kv/compaction', { revision: header.revision, physical: true });
}

interface Answer {
  readonly header: { readonly revision: string };
}

async function ask(url: string, what: string, body: object): Promise<unknown> {
  const answer = await fetch(`${url}/v3/${what}`, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(patience),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`etcd ${what}: ${answer.status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
