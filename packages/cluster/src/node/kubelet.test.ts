import type { Pod, PodStatus } from '@coxswain/k8s';
import { createClient, type Transport } from '@coxswain/runtime/client';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { Kubelet } from './kubelet.ts';

test('a status that the server stores with null times is not written again', async () => {
  const clock = new VirtualClock();
  const patches: { readonly status: PodStatus }[] = [];
  const transport: Transport = {
    async send({ body, method }) {
      if (method === 'PATCH') patches.push(body as { readonly status: PodStatus });
      return { status: 200, body, warnings: [] };
    },
    watch: () => Promise.reject(new Error('not asked for')),
    close: async () => {},
  };
  const key = { namespace: 'default', name: 'a' };
  let pod: Pod = {
    metadata: { ...key, uid: 'u', generation: 1 },
    spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'app:1' }] },
  };
  const cache = { store: () => ({ get: () => pod, list: () => [pod] }) } as unknown as ReconcileContext['cache'];
  const context: ReconcileContext = {
    key,
    cache,
    client: createClient({ transport, clock }),
    clock,
    log: silentLogger,
    signal: new AbortController().signal,
  };
  const recorder = { event() {}, flush: async () => {}, stop: async () => {} };
  const kubelet = new Kubelet({ random: seededRandom(1), nodeAddress: () => '10.0.0.1', recorder });

  await kubelet.reconcile(context);
  expect(patches).toHaveLength(1);
  const conditions = (patches[0]?.status.conditions ?? []).map(({ reason, message, ...rest }) => ({
    ...rest,
    ...(reason ? { reason } : {}),
    ...(message ? { message } : {}),
    lastProbeTime: null as unknown as string,
  }));
  pod = { ...pod, status: { ...patches[0]?.status, conditions } };
  await kubelet.reconcile(context);
  expect(patches).toHaveLength(1);
});
