import type { Pod } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import { ApiError, systemClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { logs } from './logs.ts';
import { terminal } from './test-terminal.ts';

function pod(name: string): Pod {
  const labels = { 'matrixorigin.io/component': 'LogSet', 'matrixorigin.io/cluster': 'mo' };
  return {
    metadata: { name, uid: name, namespace: 'default', labels },
    spec: { containers: [{ name: 'main' }] },
  } as Pod;
}

/** A server with two pods; what it has to say of the log of `mo-log-1` is `answer`. */
function serverWith(answer: () => string): Client {
  return {
    of: () => ({ list: async () => ({ items: [pod('mo-log-0'), pod('mo-log-1')] }) }),
    raw: async ({ path }: { readonly path: string }) =>
      path.includes('mo-log-1') ? answer() : '2026-01-01T00:00:00Z here\n',
  } as unknown as Client;
}

function refusal(code: number, message: string): ApiError {
  return new ApiError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, message });
}

async function tell(answer: () => string, words = 'logs mo') {
  const { session, output, notes } = terminal({ client: serverWith(answer), clock: systemClock }, words);
  const code = await logs(session).catch((error: Error) => error.message);
  return { code, output: output(), notes };
}

test('a node that does not answer holds up no other log, and is not passed over in silence', async () => {
  const cannot = 'Get "https://10.0.0.7:10250/containerLogs/…": dial tcp 10.0.0.7:10250: connect: no route to host';
  for (const code of [400, 500, 502])
    expect(
      await tell(() => {
        throw refusal(code, cannot);
      }),
    ).toEqual({ code: 1, output: '[mo-log-0/main] here\n', notes: [`mo-log-1/main: ${cannot}`] });
  expect(await tell(() => '')).toMatchObject({ code: 0, notes: [] });
});

test('what a user may not read ends it', async () => {
  const forbidden = 'pods "mo-log-1" is forbidden';
  expect(
    await tell(() => {
      throw refusal(403, forbidden);
    }),
  ).toMatchObject({ code: forbidden, output: '' });
});
