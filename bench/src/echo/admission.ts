import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@coxswain/k8s';
import { systemClock } from '@coxswain/runtime/core';
import { createAuthority } from '@coxswain/runtime/pki';
import { freePort } from '../process.ts';
import { percentile } from '../stats.ts';
import type { Candidate } from './candidates.ts';
import { EchoProcess } from './echo-process.ts';
import { Echo } from './kind.ts';
import { echoOf, type Plane, startPlane } from './plane.ts';
import type { Figures } from './result.ts';

/** B8: creates with a defaulting and a validating webhook, at different numbers at once; what the webhooks cost. */
export async function admission(
  candidate: Candidate,
  figures: Figures,
  { creates }: { readonly creates: number },
): Promise<void> {
  const failed = (error: unknown) =>
    figures.missing({ scenario: 'B8', what: 'webhooks', candidate: candidate.name }, error);
  await using plane = await startPlane();
  const folder = dirname(plane.kubeconfig);
  const authority = createAuthority({ clock: systemClock, name: 'bench' });
  const { cert: chain, key: secret } = authority.issueServer(['127.0.0.1']);
  const webhook = { port: await freePort(), cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
  await writeFile(webhook.cert, chain);
  await writeFile(webhook.key, secret, { mode: 0o600 });
  const operator = new EchoProcess(candidate, { kubeconfig: plane.kubeconfig, webhook });
  try {
    await operator.until('all', 60_000);
    let next = 0;
    const without = await timed(plane, 8, creates, () => next++);
    await register(plane, webhook.port, authority.cert);
    for (const lanes of [1, 8, 64]) {
      const what = `defaulting and validating, ${lanes} creates at once`;
      const add = (measure: string, unit: 'ms' | '/s' | 's', value: number) =>
        figures.add({ scenario: 'B8', what, candidate: candidate.name, measure, unit }, value);
      const cpu = await operator.cpu();
      const { each, seconds } = await timed(plane, lanes, creates, () => next++);
      add('p50', 'ms', percentile(each, 0.5));
      add('p99', 'ms', percentile(each, 0.99));
      add('creates', '/s', creates / seconds);
      add(
        'CPU of the operator for 10,000, its reconciles too',
        's',
        (((await operator.cpu()) - cpu) / 1000 / creates) * 10_000,
      );
      if (lanes === 8) add('p50 without webhooks', 'ms', percentile(without.each, 0.5));
    }
  } catch (error) {
    failed(error);
  } finally {
    await operator.stop();
  }
}

async function register({ client }: Plane, port: number, ca: string): Promise<void> {
  const webhookFor = (path: string, name: string) => ({
    name,
    clientConfig: { url: `https://127.0.0.1:${port}${path}`, caBundle: Buffer.from(ca).toString('base64') },
    rules: [
      {
        apiGroups: [Echo.group],
        apiVersions: ['v1'],
        operations: ['CREATE' as const],
        resources: ['echoes'],
        scope: '*' as const,
      },
    ],
    sideEffects: 'None' as const,
    admissionReviewVersions: ['v1'],
    failurePolicy: 'Fail' as const,
  });
  const metadata = { name: 'echo' };
  await client
    .of(MutatingWebhookConfiguration)
    .create({ metadata, webhooks: [webhookFor('/mutate-bench-dev-v1-echo', 'mecho-v1.kb.io')] });
  await client
    .of(ValidatingWebhookConfiguration)
    .create({ metadata, webhooks: [webhookFor('/validate-bench-dev-v1-echo', 'vecho-v1.kb.io')] });
  await untilCalled(client);
}

/** Configurations are in force when what they forbid is refused. */
async function untilCalled(client: Plane['client']): Promise<void> {
  const bad = { ...echoOf(0), metadata: { namespace: 'default', name: 'bad' }, spec: { text: 'bad' } };
  for (let tries = 0; tries < 200; tries++) {
    const answer = await client
      .of(Echo)
      .create(bad, { dryRun: true })
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    if (answer) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the webhooks were not called within 20 s');
}

async function timed(
  { client }: Plane,
  lanes: number,
  count: number,
  index: () => number,
): Promise<{ readonly each: readonly number[]; readonly seconds: number }> {
  const each: number[] = [];
  let left = count;
  const since = performance.now();
  const lane = async () => {
    while (left-- > 0) {
      const began = performance.now();
      await client.of(Echo).create(echoOf(index()));
      each.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { each, seconds: (performance.now() - since) / 1000 };
}
