import { createServer as createHttp } from 'node:http';
import { createServer as createHttp2 } from 'node:http2';
import { createServer as createTcp } from 'node:net';
import { VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { checkRequest } from './grpc-message.ts';
import { executeHook } from './hook.ts';
import { executeProbe } from './probe.ts';
import { closedPort, listen, localTarget } from './test-target.ts';

const never = new AbortController().signal;
const aborted = () => AbortSignal.abort(new Error('time is up'));

test('a connection is enough for a TCP probe', async () => {
  const server = createTcp((socket) => socket.resume());
  await using listening = await listen(server);
  const { port } = listening;
  expect(await executeProbe({ tcpSocket: { port } }, localTarget(), never)).toEqual({ ok: true, output: '' });
});

test('a TCP probe tells why it could not connect', async () => {
  const port = await closedPort();
  expect(await executeProbe({ tcpSocket: { port } }, localTarget(), never)).toEqual({
    ok: false,
    output: `dial tcp 127.0.0.1:${port}: connect: connection refused`,
  });
  expect(await executeProbe({ tcpSocket: { port } }, localTarget(), aborted())).toEqual({
    ok: false,
    output: `dial tcp 127.0.0.1:${port}: i/o timeout`,
  });
});

test('a command is well when it exits with 0; its output is kept', async () => {
  const commands: (readonly string[])[] = [];
  const target = localTarget(
    { env: [{ name: 'FILE', value: '/tmp/ok' }] },
    {
      exec: async (command, _tty, { stdout, stderr }) => {
        commands.push(command);
        stderr?.write('bad ');
        stdout?.write('good ');
        return commands.length - 1;
      },
    },
  );
  const probe = { exec: { command: ['cat', '$(FILE)', '$$(FILE)', '$(OTHER)'] } };
  expect(await executeProbe(probe, target, never)).toEqual({ ok: true, output: 'good bad ' });
  expect(await executeProbe(probe, target, never)).toEqual({ ok: false, output: 'good bad ' });
  expect(commands[0]).toEqual(['cat', '/tmp/ok', '$(FILE)', '$(OTHER)']);
});

test('a command that takes too long, and one that cannot be run', async () => {
  const target = localTarget({}, { exec: async () => Promise.reject(new Error('exec: "nope": not found')) });
  const probe = { exec: { command: ['nope', '-v'] }, timeoutSeconds: 90 };
  expect(await executeProbe(probe, target, never)).toEqual({
    ok: false,
    output: 'exec: "nope": not found',
    note: 'error',
  });
  expect(await executeProbe(probe, target, aborted())).toEqual({
    ok: false,
    output: 'command timed out: "nope -v" timed out after 1m30s',
  });
});

/** A gRPC server that answers any call with these bytes and status. */
async function grpc(
  answer: { readonly body?: Buffer; readonly status: string; readonly message?: string },
  service?: string,
) {
  const asked: Buffer[] = [];
  const server = createHttp2();
  server.on('stream', (stream, headers) => {
    expect(headers).toMatchObject({ ':path': '/grpc.health.v1.Health/Check', 'content-type': 'application/grpc' });
    stream.on('data', (part: Buffer) => asked.push(part));
    stream.on('end', () => {
      const trailers = { 'grpc-status': answer.status, 'grpc-message': answer.message ?? '' };
      const head = { ':status': 200, 'content-type': 'application/grpc' };
      if (!answer.body) return stream.respond({ ...head, ...trailers }, { endStream: true });
      stream.respond(head, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      stream.end(answer.body);
    });
  });
  await using listening = await listen(server);
  const { port } = listening;
  const probe = { grpc: { port, ...(service === undefined ? {} : { service }) } };
  return { result: await executeProbe(probe, localTarget(), never), asked: Buffer.concat(asked) };
}

const health = (state: number) => Buffer.from([0, 0, 0, 0, 2, 8, state]);

test('gRPC: the state of a service decides', async () => {
  const serving = await grpc({ body: health(1), status: '0' }, 'db');
  expect(serving.result).toEqual({ ok: true, output: 'service healthy' });
  expect(serving.asked).toEqual(checkRequest('db'));
  expect(serving.asked).toEqual(Buffer.from([0, 0, 0, 0, 4, 10, 2, 100, 98]));
  const not = await grpc({ body: health(2), status: '0' });
  expect(not.result).toEqual({ ok: false, output: 'service unhealthy (responded with "NOT_SERVING")' });
  expect(not.asked).toEqual(Buffer.alloc(5));
});

test('gRPC: what went wrong is told', async () => {
  expect((await grpc({ status: '12', message: 'unknown service' })).result.output).toBe(
    'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service',
  );
  expect((await grpc({ status: '5', message: 'no%20such' })).result.output).toBe(
    'error: health rpc probe failed: rpc error: code = NotFound desc = no such',
  );
});

test('gRPC: nobody listens, or speaks something else', async () => {
  const failed = (port: number) => ({
    ok: false,
    output: `timeout: failed to connect service "127.0.0.1:${port}" within 3s: context deadline exceeded`,
  });
  const clock = new VirtualClock();
  const target = localTarget({}, { clock });
  const closed = await closedPort();
  const timeout = new AbortController();
  const waiting = executeProbe({ grpc: { port: closed }, timeoutSeconds: 3 }, target, timeout.signal);
  timeout.abort();
  expect(await waiting).toEqual(failed(closed));

  const server = createHttp();
  await using listening = await listen(server);
  const { port } = listening;
  const late = new AbortController();
  server.once('clientError', () => late.abort());
  expect(await executeProbe({ grpc: { port }, timeoutSeconds: 3 }, target, late.signal)).toEqual(failed(port));
});

test('a probe without a handler', async () => {
  expect(await executeProbe({}, localTarget(), never)).toEqual({
    ok: false,
    output: 'missing probe handler for web_team(u-1):main',
    note: 'error',
  });
});

test('hooks run commands', async () => {
  await executeHook({ exec: { command: ['true'] } }, localTarget(), never);
  const target = localTarget(
    {},
    {
      exec: async (_command, _tty, { stderr }) => {
        stderr?.write('oh');
        return 3;
      },
    },
  );
  await expect(executeHook({ exec: { command: ['sh', '-c', 'exit 3'] } }, target, never)).rejects.toThrow(
    `Exec lifecycle hook ([sh -c exit 3]) for Container "main" in Pod "web_team(u-1)" failed - error: command 'sh -c exit 3' exited with 3: oh, message: "oh"`,
  );
});

test('hooks ask over HTTP, in the clear when the server is not encrypted; any answer will do', async () => {
  const agents: (string | undefined)[] = [];
  const server = createHttp(({ headers }, response) => {
    agents.push(headers['user-agent'], headers.authorization);
    response.writeHead(500).end();
  });
  await using listening = await listen(server);
  const { port } = listening;
  const httpHeaders = [{ name: 'Authorization', value: 'Bearer x' }];
  await executeHook({ httpGet: { port, path: '/', httpHeaders } }, localTarget(), never);
  await executeHook({ httpGet: { port, path: '/', scheme: 'HTTPS', httpHeaders } }, localTarget(), never);
  expect(agents).toEqual(['kube-lifecycle/1.37', 'Bearer x', 'kube-lifecycle/1.37', undefined]);
  const closed = await closedPort();
  await expect(executeHook({ httpGet: { port: closed, path: '/down' } }, localTarget(), never)).rejects.toThrow(
    `HTTP lifecycle hook (/down) for Container "main" in Pod "web_team(u-1)" failed - error: Get "http://127.0.0.1:${closed}/down": dial tcp 127.0.0.1:${closed}: connect: connection refused`,
  );
});

test('hooks sleep, unless the container ends before', async () => {
  const clock = new VirtualClock();
  const target = localTarget({}, { clock });
  const slept = executeHook({ sleep: { seconds: 5 } }, target, never);
  await clock.advance(5_000);
  await slept;
  await expect(executeHook({ sleep: { seconds: 5 } }, target, aborted())).rejects.toThrow(
    'Sleep lifecycle hook (5) for Container "main" in Pod "web_team(u-1)" failed - error: container terminated before sleep hook finished',
  );
  await expect(executeHook({ tcpSocket: { port: 1 } }, target, never)).rejects.toThrow('Cannot run handler');
});
