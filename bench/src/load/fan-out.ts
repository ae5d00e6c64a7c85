import { connect, type TLSSocket } from 'node:tls';
import { type Cost, hands } from './measure.ts';
import type { LoadClient } from './server.ts';

const newline = 0x0a;
const carriageReturn = 0x0d;

/** Watchers of one object, each on a TLS connection of its own. */
class Watchers {
  /** Events received by all of them. */
  received = 0;
  readonly #sockets: TLSSocket[] = [];

  /** Resolves when the watch has begun. */
  open(client: LoadClient, path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect({ ...client.address(), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
      this.#sockets.push(socket);
      let begun = false;
      let last = 0;
      socket.on('error', reject);
      socket.on('data', (chunk: Buffer) => {
        if (!begun) {
          begun = true;
          if (chunk.toString('latin1', 9, 12) === '200') resolve();
          else reject(new Error(`a watch was answered ${chunk.toString('latin1', 0, 200)}`));
        }
        // Lines of the head and the marks of chunks end in CR LF, those of events in LF.
        for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1))
          if ((at > 0 ? chunk[at - 1] : last) !== carriageReturn) this.received++;
        last = chunk.at(-1) ?? last;
      });
      socket.write(client.request({ method: 'GET', path }));
    });
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Opens watchers in groups: a thousand handshakes at once would time out. */
async function openAll(count: number, open: () => Promise<void>): Promise<void> {
  for (let left = count; left > 0; left -= 50)
    await Promise.all(Array.from({ length: Math.min(50, left) }, () => open()));
}

/**
 * Events delivered per second, and the server's CPU for each, when one object changes while `count` watch it. Writers keep
 * 32 changes under way; the time ends when the last watcher has the last event.
 */
export async function fanOut(client: LoadClient, namespace: string, count: number, seconds: number): Promise<Cost> {
  const name = `watched-${count}`;
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { turn: '' } };
  const collection = `/api/v1/namespaces/${namespace}/configmaps`;
  const created = await client.send({ method: 'POST', path: collection, body: JSON.stringify(object) });
  const { resourceVersion } = (JSON.parse(created.text) as { metadata: { resourceVersion: string } }).metadata;
  const watchers = new Watchers();
  const watch = `${collection}?watch=1&fieldSelector=metadata.name%3D${name}&resourceVersion=${resourceVersion}`;
  try {
    await openAll(count, () => watchers.open(client, watch));
    const [cpu, since] = [await client.cpu(), performance.now()];
    let changes = 0;
    const writer = async () => {
      while (performance.now() - since < seconds * 1000) {
        const body = `{"data":{"turn":"${changes++}"}}`;
        const contentType = 'application/merge-patch+json';
        await client.send({ method: 'PATCH', path: `${collection}/${name}`, body, contentType });
      }
    };
    await Promise.all(Array.from({ length: hands }, writer));
    while (watchers.received < changes * count && performance.now() - since < seconds * 1000 + 60_000)
      await new Promise((resolve) => setTimeout(resolve, 5));
    const [used, took] = [(await client.cpu()) - cpu, performance.now() - since];
    return { rate: (watchers.received * 1000) / took, micros: (used * 1000) / watchers.received };
  } finally {
    watchers.close();
  }
}
