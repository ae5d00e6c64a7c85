import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inProcessTransport } from '../../http/index.ts';
import { openStorage } from '../../storage/index.ts';
import { bootstrapCluster } from '../bootstrap/index.ts';
import { builtinResources, createRegistry } from '../builtin/index.ts';
import { createApiServer } from '../server.ts';
import { builtinForms, builtinSubresources, nodeSubresources } from '../subresources/index.ts';
import { builtinAdmission, createWebhookCaller, type WebhookCaller } from './index.ts';
import { cases } from './test/cases.ts';
import { type HookServer, startHookServer } from './test/hook-server.ts';
import { play } from './test/play.ts';

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures/recorded.json'), 'utf8'));
let hooks: HookServer;
let caller: WebhookCaller;

beforeAll(async () => {
  hooks = await startHookServer();
  caller = createWebhookCaller({ clock: new VirtualClock() });
});
afterAll(async () => {
  caller.close();
  await hooks[Symbol.asyncDispose]();
});

async function serve() {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const storage = await openStorage({ clock, log: silentLogger, fsync: 'off' });
  const registry = createRegistry(builtinResources());
  const admission = builtinAdmission({ random, webhooks: { random, registry, call: caller.call } });
  const log = silentLogger;
  const { subresources, connects } = nodeSubresources({ nodes: new Map(), clock, random });
  const own = { subresources: [...builtinSubresources, ...subresources], connects, forms: builtinForms };
  const server = createApiServer({ storage, registry, clock, random, log, admission, ...own });
  bootstrapCluster({ registry, storage, clock, random }, { certificateAuthority: 'PEM' });
  return inProcessTransport(server.handle, { name: 'admin', groups: ['system:masters'] });
}

describe('admission answers as the real server did', () => {
  for (const one of cases) {
    test(one.title, async () => {
      const outcomes = await play(one, await serve(), hooks, async () => {});
      expect(outcomes).toEqual(recorded[one.title]);
    });
  }
});
