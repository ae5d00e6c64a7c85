import { askEtcd } from './ask-etcd.ts';

/**
 * Makes etcd forget all past states, through its HTTP gateway. The kube-apiserver over it keeps a window of its own in memory for
 * watches, and may go on serving from that.
 * @param url `http://127.0.0.1:PORT`
 */
export async function compactEtcd(url: string): Promise<void> {
  const { header } = (await askEtcd(url, 'kv/range', { key: Buffer.from('\0').toString('base64') })) as Answer;
  await askEtcd(url, 'kv/compaction', { revision: header.revision, physical: true });
}

interface Answer {
  readonly header: { readonly revision: string };
}
