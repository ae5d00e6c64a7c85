import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2';
import type { Duplex } from 'node:stream';
import { abortable, sleep } from '@coxswain/runtime/core';
import { http2 } from '../../late-modules.ts';
import type { ProbeResult } from '../runtime.ts';
import { checkedState, checkRequest, codeName } from './grpc-message.ts';
import { hostPort, type ProbeTarget } from './target.ts';

/** Milliseconds until a connection that failed is tried again. */
const redial = 1_000;
const [unimplemented, deadlineExceeded] = [12, 4];

interface RpcAnswer {
  readonly code: number;
  readonly text: string;
  readonly body: Buffer;
}

/** Opens a session over a connection; resolves when the server has shown that it speaks HTTP/2. */
function openSession(authority: string, connection: Duplex): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = http2().connect(`http://${authority}`, { createConnection: () => connection });
    session.once('remoteSettings', () => resolve(session));
    session.on('error', reject);
    session.once('close', () => reject(new Error('the server closed the connection')));
  });
}

/** Connects, again and again until `signal` is aborted, as gRPC's client does. */
async function connected({ dial, clock }: ProbeTarget, host: string, port: number, signal: AbortSignal) {
  for (;;) {
    try {
      const connection = await dial(host, port, signal);
      signal.addEventListener('abort', () => connection.destroy(), { once: true });
      return await abortable(openSession(hostPort(host, port), connection), signal);
    } catch {
      await sleep(clock, redial, signal);
    }
  }
}

function statusOf(headers: IncomingHttpHeaders): Omit<RpcAnswer, 'body'> | undefined {
  const code = headers['grpc-status'];
  if (code === undefined) return undefined;
  const text = String(headers['grpc-message'] ?? '');
  return { code: Number(code), text: decodeURIComponent(text.replace(/%(?![0-9a-fA-F]{2})/g, '%25')) };
}

function check(session: ClientHttp2Session, service: string): Promise<RpcAnswer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
      'user-agent': 'kube-probe/1.37',
    });
    const parts: Buffer[] = [];
    let status: Omit<RpcAnswer, 'body'> | undefined;
    let httpStatus = 0;
    stream.on('response', (headers) => {
      httpStatus = Number(headers[':status']);
      status = statusOf(headers);
    });
    stream.on('trailers', (headers) => {
      status = statusOf(headers) ?? status;
    });
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('error', reject);
    stream.on('close', () => {
      const missing = { code: 2, text: `unexpected HTTP status code received from server: ${httpStatus}` };
      resolve({ ...(status ?? missing), body: Buffer.concat(parts) });
    });
    stream.end(checkRequest(service));
  });
}

function resultOf({ code, text, body }: RpcAnswer, timeout: string): ProbeResult {
  if (code === unimplemented)
    return failed(`error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${text}`);
  if (code === deadlineExceeded) return failed(`timeout: health rpc did not complete within ${timeout}`);
  if (code !== 0) return failed(`error: health rpc probe failed: rpc error: code = ${codeName(code)} desc = ${text}`);
  const state = checkedState(body);
  if (state === 'SERVING') return { ok: true, output: 'service healthy' };
  return failed(
    state === undefined
      ? 'error: health rpc probe failed: rpc error: code = Internal desc = the answer is no HealthCheckResponse'
      : `service unhealthy (responded with ${JSON.stringify(state)})`,
  );
}

function failed(output: string): ProbeResult {
  return { ok: false, output };
}

/** Asks the gRPC health service. Aborting `signal` is the time-out. @param timeout as the texts have it, such as `1s` */
export async function grpcCheck(
  target: ProbeTarget,
  { port, service }: { readonly port: number; readonly service: string },
  timeout: string,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const address = hostPort(target.podAddress, port);
  let session: ClientHttp2Session;
  try {
    session = await connected(target, target.podAddress, port, signal);
  } catch {
    return failed(
      `timeout: failed to connect service ${JSON.stringify(address)} within ${timeout}: context deadline exceeded`,
    );
  }
  try {
    return resultOf(await abortable(check(session, service), signal), timeout);
  } catch (error) {
    if (signal.aborted) return failed(`timeout: health rpc did not complete within ${timeout}`);
    const why = error instanceof Error ? error.message : String(error);
    return failed(`error: health rpc probe failed: rpc error: code = Unavailable desc = ${why}`);
  } finally {
    session.destroy();
  }
}
