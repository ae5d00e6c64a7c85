import { describe, expect, it } from 'vitest';
import { seededRandom, silentLogger, VirtualClock } from '../core/index.ts';
import { createRecorder, eventKind } from '../events/index.ts';
import { healthServer, metricsServer } from '../serving/index.ts';
import { selfSigned, webhook, webhookServer } from '../webhook/index.ts';
import { createManager } from './index.ts';
import { TestApi } from './test-api.ts';
import { Widget, widget } from './test-kinds.ts';

const clock = new VirtualClock();
const client = new TestApi(clock).client();
const election = { namespace: 'system', lease: 'op' };

describe('createManager', () => {
  it.each([
    [{ lg: silentLogger }, 'createManager: unknown option `lg`; did you mean `log`?'],
    [{ leaderElection: true }, 'unknown option `leaderElection`'],
    [{ election: { ...election, leaseName: 'a' } }, 'election of createManager: unknown option `leaseName`'],
    [{ election: { ...election, namespace: '' } }, '"namespace" is ""'],
    [{ election: { lease: 'op' } }, '"namespace" is undefined'],
    [{ election: { ...election, lease: 'My_Lease' } }, '"lease" is "My_Lease"'],
    [{ election: { ...election, identity: '' } }, '"identity" is empty'],
    [{ election: true }, 'options are an object, not a boolean'],
    [{ shutdownTimeout: Number.POSITIVE_INFINITY }, '"shutdownTimeout" is Infinity'],
    [{ shutdownTimeout: '30s' }, '"shutdownTimeout" is "30s"'],
    [{ name: ' ' }, 'give a "name"'],
    [{ client: {} }, 'give a "client"'],
    [{ onLost: true }, '"onLost" is a boolean'],
  ])('refuses %j', (options, message) => {
    expect(() => createManager({ client, name: 'test', ...options } as never)).toThrow(message);
  });

  it('refuses nothing at all', () => {
    expect(() => createManager(undefined as never)).toThrow('createManager: options are an object, not null');
  });

  it('takes kinds and runnables only where they are some', () => {
    const manager = createManager({ client, name: 'test', clock });
    expect(() => manager.controller(undefined as never)).toThrow('controller: this is no kind');
    expect(() => manager.actor({} as never, {} as never, {} as never)).toThrow('actor: this is no kind');
    expect(() => manager.add(undefined as never)).toThrow('a "name" and a "start" function');
    expect(() => manager.add({ name: 'a', start: async () => {}, stop: 3 } as never)).toThrow('runnable a: "stop"');
  });
});

describe('servers', () => {
  const registry = { text: async () => '', contentType: 'text/plain' } as never;
  const manager = createManager({ client, name: 'test', clock });

  it('refuse ports that are none', () => {
    for (const port of [-1, 65_536, 1.5, '8080', Number.NaN, undefined]) {
      expect(() => metricsServer({ registry, port } as never)).toThrow('metrics server: "port"');
      expect(() => healthServer({ manager, port } as never)).toThrow('health server: "port"');
      if (port !== undefined)
        expect(() => webhookServer({ client, certificates: {}, port } as never)).toThrow('webhookServer: "port"');
    }
  });

  it.each([
    [
      () => metricsServer({ registry, port: 0, hosts: '::' } as never),
      'metricsServer: unknown option `hosts`; did you mean `host`?',
    ],
    [() => metricsServer({ port: 0 } as never), 'give a "registry"'],
    [() => healthServer({ manager, port: 0, longestlag: 1 } as never), 'did you mean `longestLag`?'],
    [() => healthServer({ manager, port: 0, longestLag: Number.NaN }), '"longestLag" is NaN'],
    [() => healthServer({ manager, port: 0, live: { db: true } } as never), '"live.db" is a boolean'],
    [() => healthServer({ manager, port: 0, ready: { 'a/b': () => {} } }), '"a/b" names no check'],
    [() => healthServer({ port: 0 } as never), 'give the "manager"'],
    [() => webhookServer({ client, certificate: {} } as never), 'did you mean `certificates`?'],
    [() => webhookServer({ client } as never), 'give "certificates"'],
    [() => selfSigned({ secret: { namespace: 'a', name: 'b' }, dnsName: ['a'] } as never), 'did you mean `dnsNames`?'],
    [() => selfSigned({ secret: { namespace: 'a' }, dnsNames: ['a'] } as never), 'give the "secret"'],
    [
      () => selfSigned({ secret: { namespace: 'a', name: 'b' }, dnsNames: ['a'], lifetime: '90d' } as never),
      '"lifetime"',
    ],
  ])('name what they do not understand: %#', (make, message) => {
    expect(make).toThrow(message);
  });
});

describe('webhook', () => {
  const handlers = { validate: { create: () => {} } };
  it.each([
    [{ validat: {} }, {}, 'handlers of the webhook of Widget: unknown option `validat`; did you mean `validate`?'],
    [{ validate: { creat: () => {} } }, {}, 'did you mean `create`?'],
    [{ validate: { create: true } }, {}, '"validate.create" is a boolean'],
    [{ default: {} }, {}, '"default" is a object'],
    [handlers, { failurepolicy: 'Ignore' }, 'did you mean `failurePolicy`?'],
    [handlers, { path: '/x' }, 'unknown option `path`'],
    [handlers, { validating: { pth: '/x' } }, 'did you mean `path`?'],
    [handlers, { timeoutSeconds: 31 }, '"timeoutSeconds" is 31; give a whole number from 1 to 30'],
    [handlers, { mutating: { timeoutSeconds: '3' } }, '"timeoutSeconds" is "3"'],
  ])('refuses %j with %j', (given, options, message) => {
    expect(() => webhook(Widget, given as never, options as never)).toThrow(message);
  });
});

describe('events', () => {
  const lines: { readonly err?: Error }[] = [];
  const log = { ...silentLogger, error: (fields: object) => void lines.push(fields) };
  const parts = { client, clock, random: seededRandom(1), log, reporter: { controller: 'a', instance: 'b' } };

  it('are told of in the log when they are none, and nothing else fails', async () => {
    const recorder = createRecorder(parts);
    const good = { reason: 'Made', message: 'm' };
    for (const bad of [
      { ...good, typ: 'Warning' },
      { ...good, type: 'warning' },
      { reason: 'Made' },
      { ...good, message: 3 },
      { ...good, reason: '' },
      undefined,
    ]) {
      recorder.event(Widget, widget('w'), bad as never);
    }
    recorder.event(Widget, widget('w'), { ...good, type: 'Warning' });
    await recorder.flush();
    expect(lines).toHaveLength(6);
    expect(lines[0]?.err?.message).toContain('did you mean `type`?');
    expect((await client.of(eventKind).list({ namespace: 'default' })).items).toHaveLength(1);
  });

  it('need a recorder that is understood', () => {
    expect(() => createRecorder({ ...parts, reportr: 1 } as never)).toThrow('did you mean `reporter`?');
  });
});
