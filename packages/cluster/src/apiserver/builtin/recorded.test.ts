import { readFileSync } from 'node:fs';
import type { Method } from '@coxswain/runtime/client';
import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { openStorage } from '../../storage/index.ts';
import { builtinAdmission } from '../admission/index.ts';
import { bootstrapCluster } from '../bootstrap/index.ts';
import { createApiServer } from '../server.ts';
import type { ApiServer } from '../types.ts';
import { builtinResources, createRegistry } from './index.ts';

/**
 * Requests and what a kube-apiserver 1.37.2 answered to them (its ServiceAccount admission switched off, `standard` as the
 * default storage class), without what differs from run to run. Whole objects for successes, the causes for refusals.
 */
interface Step {
  readonly method: Method;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly code: number;
  readonly answer: Readonly<Record<string, unknown>>;
}

const varying = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'managedFields',
  'lastTransitionTime',
  'lastPhaseTransitionTime',
]);

function normalised(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalised);
  if (typeof value === 'object' && value !== null) {
    const kept = Object.entries(value).filter(([key]) => !varying.has(key));
    return Object.fromEntries(kept.map(([key, part]) => [key, normalised(part)]));
  }
  if (typeof value === 'number') return value >= 30000 && value <= 32767 ? 'NODEPORT' : value;
  if (typeof value !== 'string') return value;
  if (/^10\.96\.\d+\.\d+$/.test(value)) return 'IP';
  return value.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, 'UID');
}

async function createServer(): Promise<ApiServer> {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const storage = await openStorage({ clock, log: silentLogger, fsync: 'off' });
  const registry = createRegistry(builtinResources());
  bootstrapCluster({ registry, storage, clock, random });
  const admission = builtinAdmission({ random }).filter(({ name }) => name !== 'ServiceAccount');
  return createApiServer({ storage, registry, clock, random, log: silentLogger, admission });
}

async function replay(file: string): Promise<void> {
  const steps = JSON.parse(
    readFileSync(new URL(`./fixtures/${file}.json`, import.meta.url), 'utf8'),
  ) as readonly Step[];
  const server = await createServer();
  for (const { method, path: target, body, contentType, code, answer } of steps) {
    const [path = '', query = ''] = target.split('?');
    const response = await server.handle({
      method,
      path,
      query: Object.fromEntries(new URLSearchParams(query)),
      user: { name: 'admin', groups: ['system:masters'] },
      ...(body === undefined ? {} : { body }),
      ...(contentType === undefined ? {} : { contentType }),
    });
    if (response.kind !== 'object') throw new Error(`${method} ${target} answered no object`);
    const shown = normalised(response.body) as Record<string, unknown>;
    const details = shown.details as { causes?: unknown } | undefined;
    const { reason, message } = shown;
    const got = code < 400 ? shown : { reason, causes: details?.causes, ...(details?.causes ? {} : { message }) };
    expect({ code: response.code, ...got }, `${method} ${target}`).toEqual({ code, ...answer });
  }
}

test('objects are stored as the real server stores them', () => replay('create'));
test('bad objects are refused in the words of the real server', () => replay('refuse'));
test('updates keep, change and refuse what the real server does', () => replay('update'));
