import { apiVersionOf, ConfigMap } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { sleep, systemClock } from '@coxswain/runtime/core';
import type { Cluster } from '@coxswain/testing';
import { Greeting } from './greeting.ts';

/** What a step may use. The operator can be stopped and started again. */
export interface Stage {
  readonly cluster: Cluster;
  readonly operator: { start(): void; stop(): Promise<void> };
}

/** Whom the operators run as. */
export const user = 'system:serviceaccount:default:peer';

export interface Step {
  readonly name: string;
  run(stage: Stage): Promise<void>;
}

const namespace = 'default';
const count = 20;
/** Milliseconds a step may wait for the operator: leases of an operator that was killed run for 15 s. */
const patience = 45_000;

const nameOf = (index: number): string => `greeting-${index}`;
const keyOf = (index: number) => ({ namespace, name: nameOf(index) });

/** Waits until `check` answers undefined; what it answered last is the error. */
async function until(check: () => Promise<string | undefined>): Promise<void> {
  const deadline = systemClock.monotonic() + patience;
  for (;;) {
    const missing = await check();
    if (missing === undefined) return;
    if (systemClock.monotonic() > deadline) throw new Error(`after ${patience / 1000}s: ${missing}`);
    await sleep(systemClock, 100);
  }
}

async function greet(cluster: Cluster, index: number, text: string): Promise<void> {
  const metadata = { namespace, name: nameOf(index) };
  await cluster.client
    .of(Greeting)
    .create({ apiVersion: apiVersionOf(Greeting), kind: 'Greeting', metadata, spec: { text } });
}

/** That the ConfigMap says it and the status has seen the newest generation. */
function said(cluster: Cluster, index: number, text: string): Promise<void> {
  return until(async () => {
    const greeting = await cluster.client.of(Greeting).find(keyOf(index));
    const child = await cluster.client.of(ConfigMap).find(keyOf(index));
    if (child?.data?.['text'] !== text) return `ConfigMap ${nameOf(index)} says ${child?.data?.['text']}`;
    const { observedGeneration } = greeting?.status ?? {};
    if (observedGeneration === greeting?.metadata.generation) return undefined;
    return `${nameOf(index)}: generation ${greeting?.metadata.generation}, observed ${observedGeneration}`;
  });
}

function say(cluster: Cluster, index: number, text: string): Promise<unknown> {
  return cluster.client.of(Greeting).patch(keyOf(index), merge({ spec: { text } }));
}

function gone(cluster: Cluster, index: number): Promise<void> {
  return until(async () => {
    if (await cluster.client.of(Greeting).find(keyOf(index))) return `${nameOf(index)} is still there`;
    if (await cluster.client.of(ConfigMap).find(keyOf(index))) return `ConfigMap ${nameOf(index)} is still there`;
    return undefined;
  });
}

const all = Array.from({ length: count }, (_, index) => index);

/** The life of some Greetings, in order; each step stands on the ones before. */
export const steps: readonly Step[] = [
  {
    name: `${count} objects become ConfigMaps, with a status`,
    async run({ cluster }) {
      for (const index of all) await greet(cluster, index, `hello ${index}`);
      for (const index of all) await said(cluster, index, `hello ${index}`);
    },
  },
  {
    name: 'a change is followed',
    async run({ cluster }) {
      await say(cluster, 0, 'good morning');
      await said(cluster, 0, 'good morning');
    },
  },
  {
    name: 'a ConfigMap deleted by hand comes again',
    async run({ cluster }) {
      const before = await cluster.client.of(ConfigMap).get(keyOf(1));
      await cluster.client.of(ConfigMap).delete(keyOf(1));
      await until(async () => {
        const after = await cluster.client.of(ConfigMap).find(keyOf(1));
        return after && after.metadata.uid !== before.metadata.uid ? undefined : 'it has not come';
      });
    },
  },
  {
    name: 'refusals, lost connections and a compacted history are outlived',
    async run({ cluster }) {
      const rules = [
        cluster.faults.add({ match: { user, verb: 'watch' }, when: { times: 1 }, action: { watch: 'drop' } }),
        cluster.faults.add({ match: { user, verb: 'update' }, when: { nth: 1 }, action: { status: 500 } }),
        cluster.faults.add({ match: { user, verb: 'patch' }, when: { nth: 2 }, action: { status: 429 } }),
        cluster.faults.add({ match: { user, verb: 'get' }, when: { every: 5 }, action: { reset: true } }),
      ];
      cluster.compactNow();
      for (const index of all) await say(cluster, index, `good evening ${index}`);
      for (const index of all) await said(cluster, index, `good evening ${index}`);
      for (const rule of rules) rule.remove();
    },
  },
  {
    name: 'what happened while it was away is caught up with',
    async run({ cluster, operator }) {
      await operator.stop();
      await say(cluster, 2, 'good night');
      await cluster.client.of(Greeting).delete(keyOf(3));
      operator.start();
      await said(cluster, 2, 'good night');
      await gone(cluster, 3);
    },
  },
  {
    name: 'deletion ends with the finalizer, and the ConfigMaps are gone',
    async run({ cluster }) {
      for (const index of all) if (index !== 3) await cluster.client.of(Greeting).delete(keyOf(index));
      for (const index of all) await gone(cluster, index);
    },
  },
];
