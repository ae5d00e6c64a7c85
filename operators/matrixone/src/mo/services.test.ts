import { VirtualClock } from '@coxswain/runtime/core';
import { beforeEach, describe, expect, test } from 'vitest';
import { encodeRequestFrame, MorpcClient, MorpcServer } from '../morpc/index.ts';
import type { Decoded, Encodable } from '../morpc/protobuf/index.ts';
import { TestNetwork } from '../morpc/test-network.ts';
import { cnLoad, ErrorMessage, lockService, logMethods, logService, queryCn, queryService, tnLocks } from './index.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe('messages that real servers took and sent', () => {
  test('CHECK_HAKEEPER, and its answer', () => {
    expect(hexOf(logService.request.encode({ requestId: 1n, method: logMethods.CHECK_HAKEEPER }))).toBe('0801100a');
    const answer = logService.response.decode(hex('0801100a28013200'));
    expect(answer).toMatchObject({
      requestId: 1n,
      method: 10,
      errorCode: 0,
      isHaKeeper: true,
      clusterDetails: undefined,
    });
    const again = logService.response.encode({ requestId: 1n, method: 10, isHaKeeper: true, logResponse: {} });
    expect(hexOf(again)).toBe('0801100a28013200');
  });

  test('GetPipelineInfo, and its answer with a count of zero', () => {
    const request = { requestId: 1n, method: 19, getPipelineInfo: {} };
    expect(hexOf(queryService.request.encode(request))).toBe('08011013b20100');
    expect(queryService.response.decode(hex('08011013b20100da0100')).getPipelineInfo).toEqual({ count: 0n });
    const frame = {
      kind: 'message',
      body: queryService.request.encode(request),
      payload: undefined,
      timeout: 10n ** 10n,
    } as const;
    const bytes = `00000029 04 00000002540be400 18 ${'00'.repeat(24)} 08011013b20100`.replaceAll(' ', '');
    expect(hexOf(encodeRequestFrame(frame, { checksum: false }))).toBe(bytes);
  });

  test('a lock service answers in the field after the request’s', () => {
    const request = { requestId: 2n, method: 14, canRestartService: { serviceId: 'cn' } };
    expect(hexOf(lockService.request.encode(request))).toBe('0802180e7a040a02636e');
    expect(lockService.response.decode(hex('0802 100e 8201020801')).canRestartService).toEqual({ ok: true });
    expect(lockService.response.decode(hex('8a010b08ffffffffffffffffff01')).remainTxnInService).toEqual({
      remainTxn: -1,
    });
  });

  test('a password of HAKeeper’s state is not kept', () => {
    const state = hex('6212 0801 420e 0a01 75 1209 70617373776f726431');
    const { checkerState } = logService.response.decode(state);
    expect(checkerState?.tick).toBe(1n);
    expect(
      Object.values(checkerState ?? {})
        .map(String)
        .join(),
    ).not.toContain('pass');
    expect(JSON.stringify(checkerState, (_, value) => (typeof value === 'bigint' ? `${value}` : value))).not.toContain(
      'pass',
    );
  });
});

test('servers are not sent what they may panic on', async () => {
  const clock = new VirtualClock();
  const network = new TestNetwork();
  const asked: number[] = [];
  const server = new MorpcServer({ clock, protocol: logService, handle: ({ method }) => void asked.push(method) });
  network.listen('log:1', (stream) => server.accept(stream));
  const client = new MorpcClient({ clock, dial: network.dial });
  for (const request of [
    {},
    { method: 26 },
    { method: logMethods.PATCH_CN_STORE },
    { method: logMethods.DELETE_CN_STORE },
  ]) {
    await expect(client.call(logService, 'log:1', 'M', request)).rejects.toMatchObject({
      failure: 'malformed',
      sent: false,
    });
  }
  const nothing = client.call(queryService, 'log:1', 'M', { method: 19 });
  await expect(nothing).rejects.toMatchObject({ failure: 'malformed', sent: false });
  expect(asked).toEqual([]);
});

type QueryAnswer = Encodable<typeof queryService.response>;
type LockAnswer = Encodable<typeof lockService.response>;
const address = '10.0.0.1:6004';

let clock: VirtualClock;
let network: TestNetwork;
let client: MorpcClient;
beforeEach(() => {
  clock = new VirtualClock();
  network = new TestNetwork();
  client = new MorpcClient({ clock, dial: network.dial });
});

function serveCn(handle: (request: Decoded<typeof queryService.request>) => QueryAnswer | undefined): void {
  const server = new MorpcServer({ clock, protocol: queryService, handle });
  network.listen(address, (stream) => server.accept(stream));
}

function serveTn(handle: (request: Decoded<typeof lockService.request>) => LockAnswer): void {
  const server = new MorpcServer({ clock, protocol: lockService, handle });
  network.listen(address, (stream) => server.accept(stream));
}

const problem = ErrorMessage.encode({ code: 20105, message: 'unsupported cmd' });
const failure = ErrorMessage.encode({ code: 20101, message: 'not now' });

describe('a compute node', () => {
  const sessions = [
    { account: 'acc1', user: 'u', fromProxy: true },
    { account: 'sys', user: '0b3f6c1e-8f0e-4b8e-9d57-3a4a6f0d9c11', db: 'mo_task' },
    { account: 'sys', user: '0b3f6c1e-8f0e-4b8e-9d57-3a4a6f0d9c11' },
    { account: 'sys', user: 'mo_logger', db: 'system' },
    { account: 'sys', user: 'proxy_user' },
    { account: 'sys', user: 'dump', fromProxy: true },
    { account: '', fromProxy: false },
  ];
  const busy = ({ method, showProcessList }: Decoded<typeof queryService.request>): QueryAnswer => {
    if (method === 1) return { method, showProcessList: { sessions: showProcessList?.sysTenant ? sessions : [] } };
    if (method === 19) return { method, getPipelineInfo: { count: 3n } };
    return { method, getReplicaCount: { count: 2n } };
  };

  test('tells its load', async () => {
    serveCn(busy);
    expect(await cnLoad(client, address, true)).toEqual({ sessions: 2, pipelines: 3, replicas: 2 });
  });

  test('counts sessions that came past the proxies where there are none to move them: it would cut them', async () => {
    const direct = [
      { account: 'acc1', user: 'u' },
      { account: 'sys', user: 'dump', db: 'shop' },
    ];
    serveCn((request) =>
      request.method === 1 ? { method: 1, showProcessList: { sessions: [...sessions, ...direct] } } : busy(request),
    );
    expect(await cnLoad(client, address, false)).toEqual({ sessions: 4, pipelines: 3, replicas: 2 });
    expect(await cnLoad(client, address, true)).toEqual({ sessions: 2, pipelines: 3, replicas: 2 });
  });

  test('of a release that knows neither pipelines nor the source of sessions tells what it can [case 4, 6]', async () => {
    const unsourced = sessions.map(({ fromProxy: _, ...session }) => session);
    serveCn(({ method }) =>
      method === 1 ? { method, showProcessList: { sessions: unsourced } } : { method, error: problem },
    );
    expect(await cnLoad(client, address, true)).toEqual({ sessions: 1, pipelines: 0, replicas: 0 });
    expect(await cnLoad(client, address, false)).toEqual({ sessions: 2, pipelines: 0, replicas: 0 });
  });

  test('without shards tells of its sessions and pipelines', async () => {
    serveCn((request) => (request.method === 24 ? { method: 24, error: problem } : busy(request)));
    expect(await cnLoad(client, address, true)).toEqual({ sessions: 2, pipelines: 3, replicas: 0 });
  });

  test.each<[string, QueryAnswer | undefined, string]>([
    ['an error', { method: 19, error: failure, getPipelineInfo: {} }, 'error 20101 (internal): not now'],
    ['an error that cannot be read', { method: 19, error: hex('1a05'), getPipelineInfo: {} }, 'cannot be read'],
    ['nothing', { method: 19 }, 'nothing in it'],
    ['another method', { method: 24, getPipelineInfo: {} }, 'method 19 was answered as method 24'],
    ['not at all', undefined, 'no answer within 10s'],
  ])('that answers one question with %s has no load that is known', async (_, answer, why) => {
    serveCn((request) => (request.method === 19 ? answer : busy(request)));
    const load = expect(cnLoad(client, address, true)).rejects.toThrow(why);
    await clock.advance(10_000);
    await load;
  });

  test('is asked other things', async () => {
    serveCn((request) => {
      const { method } = request;
      if (method === 10) return { method, getProtocolVersion: { version: 7n } };
      if (method === 3) return { method, killConn: { success: request.killConn?.accountId === -1n } };
      return { method, migrateConnTo: { success: request.migrateConnTo?.setVarStmts[0] === 'set a = 1' } };
    });
    expect(await queryCn(client, address, 'getProtocolVersion', {})).toEqual({ version: 7n });
    expect(await queryCn(client, address, 'killConn', { accountId: -1n })).toEqual({ success: true });
    const session = { connId: 4, setVarStmts: ['set a = 1'] };
    expect(await queryCn(client, address, 'migrateConnTo', session)).toEqual({ success: true });
  });
});

describe('locks at a transaction node', () => {
  test('are asked for in three ways', async () => {
    let marked = false;
    let open = 1;
    serveTn(({ method, canRestartService, setRestartService }) => {
      if (canRestartService) return { method, canRestartService: { ok: marked && open === 0 } };
      if (setRestartService) {
        marked = true;
        return { method, setRestartService: { ok: setRestartService.serviceId === 'cn' } };
      }
      return { method, remainTxnInService: { remainTxn: marked ? open : -1 } };
    });
    const locks = tnLocks(client);
    expect(await locks.canRestart(address, 'cn')).toBe(false);
    expect(await locks.remainingTransactions(address, 'cn')).toBeUndefined();
    expect(await locks.setRestart(address, 'cn')).toBe(true);
    expect(await locks.remainingTransactions(address, 'cn')).toBe(1);
    open = 0;
    expect(await locks.canRestart(address, 'cn')).toBe(true);
    expect(await locks.remainingTransactions(address, 'cn')).toBe(0);
  });

  test('are not gone because of an error', async () => {
    serveTn(({ method }) => ({ method, error: problem, canRestartService: { ok: true } }));
    await expect(tnLocks(client).canRestart(address, 'cn')).rejects.toThrow('unsupported cmd');
  });
});
