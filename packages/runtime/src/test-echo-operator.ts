import { ConfigMap } from '@coxswain/k8s';
import type { Actor } from '@coxswain/runtime/actor';
import { installCrds } from '@coxswain/runtime/apply';
import { createClient, defaultConnection, httpTransport } from '@coxswain/runtime/client';
import { jsonLogger, keyOf } from '@coxswain/runtime/core';
import { createManager, runUntilSignal } from '@coxswain/runtime/manager';
import { defineResource, type ResourceType, s } from '@coxswain/schema';

const Echo = defineResource({
  group: 'demo.dev',
  version: 'v1',
  kind: 'Echo',
  plural: 'echoes',
  scope: 'Namespaced',
  spec: s.object({ text: s.string(), times: s.int32().min(1).max(9).default(2) }),
  status: s.object({ said: s.string().optional(), conditions: s.conditions().optional() }),
  printColumns: [{ name: 'Said', type: 'string', jsonPath: '.status.said' }],
  subresources: { status: true },
});
type Echo = ResourceType<typeof Echo>;

/** Each Echo becomes a ConfigMap of its name. */
const echo: Actor<Echo> = {
  async observe({ object, apply, conditions, status }) {
    const { metadata, spec } = object;
    const said = Array(spec.times).fill(spec.text).join(' ');
    await apply(ConfigMap, { metadata: { name: metadata.name, namespace: metadata.namespace }, data: { said } });
    status.said = said;
    conditions.set('Ready', 'True', 'Said', `the ConfigMap ${metadata.name} says it`);
    return undefined;
  },
  finalize: ({ ensureGone, object }) => ensureGone(ConfigMap, keyOf(object)),
};

const log = jsonLogger({ write: (line) => process.stderr.write(line) });

async function setUp() {
  const transport = httpTransport(await defaultConnection({ env: process.env }));
  const client = createClient({ transport, fieldManager: 'echo' });
  await installCrds(client, [Echo.crd()]);
  const manager = createManager({ client, name: 'echo', log });
  manager.actor(Echo, echo, { finalizer: 'demo.dev/echo' }).owns(ConfigMap).run();
  return manager;
}

await runUntilSignal(setUp, { log, onRunning: () => log.info({}, 'ready for echoes; Ctrl-C ends') });
