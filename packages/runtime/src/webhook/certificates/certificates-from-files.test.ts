import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '@coxswain/k8s';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jsonLogger, seededRandom, systemClock, VirtualClock } from '../../core/index.ts';
import { TestApi } from '../../manager/test-api.ts';
import { prometheusMetrics } from '../../metrics/index.ts';
import { createAuthority, type KeyPair } from '../../pki/index.ts';
import { type WebhookServer, webhookServer } from '../index.ts';
import { caller } from '../test-caller.ts';
import { certificatesFromFiles } from './certificates-from-files.ts';

const authority = createAuthority({ clock: systemClock });
const issue = () => authority.issueServer(['hooks.system.svc']);
let dir = '';
const running: WebhookServer[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cox-certificates-'));
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop?.();
  rmSync(dir, { recursive: true });
});

async function world() {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const metrics = await prometheusMetrics();
  const log = jsonLogger({ write: (line) => lines.push(line), clock });
  const parts = { client: new TestApi(clock).client(), clock, random: seededRandom(1), log, metrics };
  const certificates = certificatesFromFiles({ cert: join(dir, 'tls.crt'), key: join(dir, 'tls.key') });
  const conversions = [{ group: 'demo.dev', kind: 'Echo', convert: (object: KubeObject) => object }];
  const server = webhookServer({ ...parts, conversions, certificates, port: 0, host: '127.0.0.1' });
  running.push(server);
  const serial = async () => (await caller(server, authority.cert)('/convert', {})).serial;
  // a look that has ended sets the time of the next one
  const looked = () => until(() => clock.untilNext !== undefined);
  /** Lets the next look at the files come, and end. Answers what was logged meanwhile. */
  const look = async (): Promise<string> => {
    await looked();
    const before = lines.length;
    await clock.advance(10_000);
    await looked();
    return lines.slice(before).join('');
  };
  return { clock, server, metrics, lines, serial, look };
}

function put({ cert, key }: KeyPair): void {
  for (const [name, text] of Object.entries({ 'tls.crt': cert, 'tls.key': key })) {
    writeFileSync(join(dir, `${name}.new`), text);
    renameSync(join(dir, `${name}.new`), join(dir, name));
  }
}

/** Lets input and output go on until something holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

test('new files are served with, without a restart', async () => {
  const t = await world();
  put(issue());
  await t.server.start(new AbortController().signal);
  const first = await t.serial();
  await t.look();
  expect(await t.serial()).toBe(first);
  put(issue());
  await t.look();
  expect(await t.serial()).not.toBe(first);
  expect(await t.metrics.text()).toContain('certwatcher_read_certificate_errors_total 0');
});

test('files that do not fit together, or are gone, leave the old certificate in use until they do', async () => {
  const t = await world();
  put(issue());
  await t.server.start(new AbortController().signal);
  const first = await t.serial();
  const next = issue();
  put({ cert: next.cert, key: issue().key });
  expect(await t.look()).toMatch(/does not belong to the certificate/);
  put({ cert: next.cert, key: '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n' });
  const logged = await t.look();
  expect(logged).toMatch(/not PEM of its kind/);
  expect(logged).not.toContain('c2VjcmV0');
  rmSync(join(dir, 'tls.key'));
  expect(await t.look()).toMatch(/ENOENT/);
  expect(await t.serial()).toBe(first);
  put(next);
  await t.look();
  expect(await t.serial()).not.toBe(first);
  expect(await t.metrics.text()).toContain('certwatcher_read_certificate_errors_total 3');
});

test('without files there is no start', async () => {
  const t = await world();
  await expect(t.server.start(new AbortController().signal)).rejects.toThrow(/ENOENT/);
  expect(t.server.port).toBe(0);
});
