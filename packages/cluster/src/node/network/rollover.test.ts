import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually, TestNetwork } from './test-network.ts';
import type { PodAttachment } from './types.ts';

let world: TestNetwork;
const running = new Set<ReturnType<typeof spawn>>();
beforeEach(async () => {
  world = await TestNetwork.start();
});
afterEach(async () => {
  for (const child of running) child.kill('SIGKILL');
  await world[Symbol.asyncDispose]();
});

/** A web server that stops as servers do: no new connections, those that are open to their end. */
const program = `
const [host, name] = process.argv.slice(1);
const server = require('http').createServer((request, response) => response.end(name));
server.listen(8080, host, () => console.log('up'));
process.on('SIGTERM', () => server.close(() => process.exit(0)));`;

interface Web {
  readonly name: string;
  readonly pod: PodAttachment;
  readonly child: ReturnType<typeof spawn>;
}

async function start(name: string): Promise<Web> {
  const pod = await world.pod(name, {}, { labels: { app: 'web' } });
  await world.setReady(name, false);
  const child = spawn(process.execPath, ['-e', program, pod.ip, name], { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  await once(child.stdout, 'data');
  await world.setReady(name, true);
  return { name, pod, child };
}

/** As a kubelet does it. */
async function stop({ name, pod, child }: Web): Promise<void> {
  await world.setTerminating(name);
  await pod.drain();
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  running.delete(child);
  await pod.detach();
}

function fetchText(host: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host, port: 8000, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => resolve(text)).once('error', reject);
    }).once('error', reject);
  });
}

test('web servers are exchanged under load, and no request fails', async () => {
  const { spec } = await world.service('web', { ports: [{ port: 8000, targetPort: 8080 }] });
  const host = spec?.clusterIP ?? '';
  const agent = new Agent({ keepAlive: false });
  let old = [await start('web-0-a'), await start('web-0-b')];
  await eventually(() => fetchText(host, agent));
  const answers = new Map<string, number>();
  const failures: string[] = [];
  let stopped = false;
  const clients = Array.from({ length: 8 }, async () => {
    while (!stopped) {
      try {
        const name = await fetchText(host, agent);
        answers.set(name, (answers.get(name) ?? 0) + 1);
      } catch (error) {
        failures.push(String(error));
      }
    }
  });
  for (let generation = 1; generation <= 3; generation++) {
    const fresh = await Promise.all(['a', 'b'].map((letter) => start(`web-${generation}-${letter}`)));
    for (const { name } of fresh) await eventually(() => expect(answers.get(name) ?? 0).toBeGreaterThan(5));
    for (const web of old) await stop(web);
    old = fresh;
  }
  stopped = true;
  await Promise.all(clients);
  expect(failures).toEqual([]);
  expect(answers.size).toBe(8);
});
