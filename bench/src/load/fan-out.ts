import type { ClientRequest } from 'node:http';
import { request } from 'node:https';
import { type Cost, hands } from './measure.ts';
import type { LoadClient } from './server.ts';

const newline = 0x0a;

/** Watchers of one object, each on a TLS connection of its own. */
class Watchers {
  /** Events received by all of them. */
  received = 0;
  readonly #calls: ClientRequest[] = [];

  /** Resolves when the watch has begun. */
  open(client: LoadClient, path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const call = request(client.options(path, { method: 'GET', agent: false }), (response) => {
        response.on('data', (chunk: Buffer) => {
          for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) this.received++;
        });
        response.on('error', () => {});
        if (response.statusCode === 200) resolve();
        else reject(new Error(`a watch was answered ${response.statusCode}`));
      });
      call.on('error', reject);
      call.end();
      this.#calls.push(call);
    });
  }

  close(): void {
    for (const call of this.#calls) call.destroy();
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
  const created = await client.send({ method: 'POST', path: collection, body: object });
  const { resourceVersion } = (JSON.parse(created.text) as { metadata: { resourceVersion: string } }).metadata;
  const watchers = new Watchers();
  const watch = `${collection}?watch=1&fieldSelector=metadata.name%3D${name}&resourceVersion=${resourceVersion}`;
  try {
    await openAll(count, () => watchers.open(client, watch));
    const [cpu, since] = [await client.cpu(), performance.now()];
    let changes = 0;
    const writer = async () => {
      while (performance.now() - since < seconds * 1000) {
        const body = { data: { turn: String(changes++) } };
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
