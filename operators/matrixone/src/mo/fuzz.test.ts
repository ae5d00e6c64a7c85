import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeRequestFrame, encodeRequestFrame, requestIdOf, WireError } from '../morpc/index.ts';
import { ErrorMessage, lockService, logService, queryService } from './index.ts';

const protocols = { logService, lockService, queryService };
const few = { maxLength: 3 };
const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const id = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });
const labels = fc
  .array(fc.tuple(text, fc.record({ labels: fc.array(text, { maxLength: 3 }) })), { maxLength: 3 })
  .map((entries) => new Map(entries));
const store = fc.record({ uuid: text, serviceAddress: text, tick: id, state: fc.nat(1) });
const shard = fc.record({
  shardId: id,
  leaderId: id,
  replicas: fc.array(fc.tuple(id, text), few).map((all) => new Map(all)),
});

/** Requests as the clients here make them, and answers as servers do, by what can be in them. */
const messages = {
  logRequests: fc.record({
    requestId: id,
    method: fc.integer({ min: 10, max: 26 }),
    logRequest: fc.option(fc.record({ shardId: id }), { nil: undefined }),
    cnStateLabel: fc.option(fc.record({ uuid: text, state: fc.nat(3), labels }), { nil: undefined }),
    cnStoreLabel: fc.option(fc.record({ uuid: text, labels }), { nil: undefined }),
    cnWorkState: fc.option(fc.record({ uuid: text, state: fc.nat(3) }), { nil: undefined }),
    deleteCnStore: fc.option(fc.record({ storeId: text }), { nil: undefined }),
  }),
  lockRequests: fc.record({
    requestId: id,
    method: fc.integer({ min: 12, max: 14 }),
    canRestartService: fc.record({ serviceId: text }),
  }),
  queryRequests: fc.record({
    requestId: id,
    method: fc.nat(25),
    showProcessList: fc.record({ tenant: text, sysTenant: fc.boolean() }),
  }),
  logAnswers: fc.record({
    requestId: id,
    method: fc.integer({ min: 10, max: 26 }),
    errorMessage: text,
    clusterDetails: fc.record({
      cnStores: fc.array(fc.record({ uuid: text, labels, workState: fc.nat(3), queryAddress: text }), few),
      tnStores: fc.array(store, few),
      logStores: fc.array(fc.record({ uuid: text, replicas: fc.array(fc.record({ shard, replicaId: id }), few) }), few),
    }),
    shardInfo: fc.record({
      leaderId: id,
      replicas: fc.array(fc.tuple(id, fc.record({ uuid: text })), few).map((all) => new Map(all)),
    }),
    checkerState: fc.record({
      tick: id,
      logState: fc.record({ shards: fc.array(fc.tuple(id, shard), few).map((all) => new Map(all)) }),
    }),
  }),
  queryAnswers: fc.record({
    requestId: id,
    method: fc.nat(25),
    error: fc.uint8Array({ maxLength: 10 }),
    showProcessList: fc.record({
      sessions: fc.array(fc.record({ nodeId: text, connId: fc.nat(), account: text, fromProxy: fc.boolean() })),
    }),
    getPipelineInfo: fc.record({ count: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) }),
  }),
};

const written = fc.oneof(
  messages.logRequests.map((message) => logService.request.encode(message)),
  messages.lockRequests.map((message) => lockService.request.encode(message)),
  messages.queryRequests.map((message) => queryService.request.encode(message)),
  messages.logAnswers.map((message) => logService.response.encode(message)),
  messages.queryAnswers.map((message) => queryService.response.encode(message)),
);

/** Reads bytes as every message there is; the only error may be ours. */
function readAll(bytes: Uint8Array): void {
  const decoders = Object.values(protocols).flatMap(({ request, response }) => [request, response]);
  for (const { decode } of [...decoders, ErrorMessage]) {
    try {
      decode(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(WireError);
    }
  }
}

test('every request is one that servers take, with the id it was given', () => {
  const requests = fc.oneof(
    messages.logRequests.map((message) => ({
      protocol: logService,
      message,
      bytes: logService.request.encode(message),
    })),
    messages.lockRequests.map((message) => ({
      protocol: lockService,
      message,
      bytes: lockService.request.encode(message),
    })),
    messages.queryRequests.map((message) => ({
      protocol: queryService,
      message,
      bytes: queryService.request.encode(message),
    })),
  );
  fc.assert(
    fc.property(requests, ({ protocol, message, bytes }) => {
      const payload = protocol.payload ? new Uint8Array(0) : undefined;
      const frame = encodeRequestFrame({ kind: 'message', body: bytes, payload, timeout: 1n });
      const { body } = decodeRequestFrame(frame.subarray(4));
      expect(requestIdOf(body)).toBe(message.requestId);
      expect(protocol.request.decode(body)).toMatchObject(message);
    }),
  );
});

test('answers are read as they were written', () => {
  fc.assert(
    fc.property(messages.logAnswers, (message) => {
      expect(logService.response.decode(logService.response.encode(message))).toMatchObject(message);
    }),
  );
});

test('messages that were cut, changed, or mistaken for another, are refused or read, and nothing else', () => {
  const change = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 }));
  fc.assert(
    fc.property(written, fc.nat(), fc.array(change, { maxLength: 3 }), (message, cut, changes) => {
      readAll(message);
      readAll(message.subarray(0, cut % message.length));
      const bytes = Buffer.from(message);
      for (const [at, by] of changes) bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ by;
      readAll(bytes);
    }),
    { numRuns: 200 },
  );
});
