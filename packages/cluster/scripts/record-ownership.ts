/**
 * Plays the scenarios of `ownership-scenarios.ts` against a real kube-apiserver and records what it stored and answered, as
 * fixtures for the field ownership and patch tests.
 *
 *   node packages/cluster/scripts/record-ownership.ts https://127.0.0.1:6443 TOKEN
 *
 * The server must be empty; it should have no controllers running.
 */
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { type Scenario, type Step, scenarios } from './ownership-scenarios.ts';

const [url, token] = process.argv.slice(2);
if (!url || !token) throw new Error('usage: record-ownership.ts URL TOKEN');

interface Answer {
  readonly code: number;
  readonly body: unknown;
}

function call(method: string, path: string, body?: unknown, type = 'application/json'): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': type };
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, url), { method, headers, rejectUnauthorized: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        resolve({ code: incoming.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const types = {
  apply: 'application/apply-patch+yaml',
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

function send(collection: string, name: string, step: Step, live: unknown): Promise<Answer> {
  const query = new URLSearchParams({ fieldManager: step.manager, ...(step.force ? { force: 'true' } : {}) });
  const path = `${collection}/${name}${step.subresource ? `/${step.subresource}` : ''}?${query}`;
  switch (step.op) {
    case 'create':
      return call('POST', `${collection}?${query}`, step.body);
    case 'update':
      return call('PUT', path, typeof step.body === 'function' ? step.body(structuredClone(live)) : step.body);
    default:
      return call('PATCH', path, step.body, types[step.op]);
  }
}

async function play(scenario: Scenario): Promise<object> {
  const steps: object[] = [];
  for (const step of scenario.steps) {
    // A second each, so that it shows whose timestamps were touched.
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    const before = await call('GET', `${scenario.collection}/${scenario.name}`);
    const live = before.code === 200 ? before.body : undefined;
    const body = typeof step.body === 'function' ? step.body(structuredClone(live)) : step.body;
    const answer = await send(scenario.collection, scenario.name, step, live);
    const after = await call('GET', `${scenario.collection}/${scenario.name}`);
    const result = answer.code < 300 ? { stored: after.body } : { status: answer.body };
    steps.push({ ...step, body, live, code: answer.code, ...result });
  }
  await call('DELETE', `${scenario.collection}/${scenario.name}`);
  const { name, collection, title, schema } = scenario;
  return { title, name, collection, ...(typeof schema === 'string' ? { schema } : { crd: schema }), steps };
}

const out = join(import.meta.dirname, '../src/apiserver/fieldmanager/fixtures');
for (const scenario of scenarios) {
  if (typeof scenario.schema !== 'string') {
    await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', scenario.schema);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
  const file = `${scenario.title.replaceAll(' ', '-')}.json`;
  writeFileSync(join(out, file), `${JSON.stringify(await play(scenario))}\n`);
  process.stdout.write(`${file}\n`);
}
