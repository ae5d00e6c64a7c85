import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { readReport } from './report.ts';

/** Asks a server once, and closes it. */
async function asked(listener: RequestListener): Promise<unknown> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await readReport(`http://127.0.0.1:${port}/status`, new AbortController().signal);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const answer =
  (status: number, body: string | Buffer): RequestListener =>
  (_, response) => {
    response.writeHead(status).end(body);
  };

test('a report is read over HTTP', async () => {
  const report = { command: 'x', completed: true, stdout: 'fertig: \u00e4', stderr: '', exitCode: 0 };
  expect(await asked(answer(200, JSON.stringify(report)))).toEqual({
    completed: true,
    stdout: 'fertig: \u00e4',
    stderr: '',
    exitCode: 0,
  });
});

test.each([
  ['another status', answer(503, '{}'), 'is HTTP 503'],
  ['no report', answer(200, 'ok'), 'the answer is no report'],
  ['more than anybody reads', answer(200, Buffer.alloc(17 * 1024 * 1024, ' ')), 'is longer than'],
  ['nothing', (({ socket }) => socket.destroy()) satisfies RequestListener, 'cannot be reached'],
])('%s is told', async (_, listener, message) => {
  await expect(asked(listener)).rejects.toThrow(message);
});
