// A manager that runs a `desired` actor of widgets against a small server, for the tests of this room. Not exported.
import { findCondition } from '../apply/index.ts';
import { seededRandom, VirtualClock } from '../core/index.ts';
import { createManager, type Manager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Base, Part, Widget, widget, widgetPath } from '../manager/test-kinds.ts';
import { type DesiredOptions, desired } from './index.ts';

/** @param managers where the manager is noted, to be stopped after the test */
export async function setUpDesired(managers: Manager[], options: Partial<DesiredOptions<Widget>>) {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const client = api.client();
  const manager = createManager({ client, name: 'test', clock, random: seededRandom(1), shutdownTimeout: 0 });
  managers.push(manager);
  const actor = desired<Widget>({ owns: [Part, Base], children: () => [], ...options });
  manager.actor(Widget, actor, { finalizer: 'test.dev/widget', retryAfter: 600_000 }).run();
  await manager.start();
  const condition = (type: string) => findCondition(api.at<Widget>(`${widgetPath}/w`) ?? widget('w'), type);
  return {
    api,
    clock,
    client,
    ready: () => condition('Ready'),
    synced: () => condition('Synced'),
    childWrites: () => api.writes.filter((write) => write.includes('/configmaps') || write.includes('/bases')),
    statusWrites: () => api.writes.filter((write) => write.endsWith('/status')),
  };
}

export const part = (name: string, size = 1): Part => ({
  metadata: { name, namespace: 'default' },
  data: { size: `${size}` },
});
export const base = (name: string): Base => ({ metadata: { name, namespace: 'default' } });
