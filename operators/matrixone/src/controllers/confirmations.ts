import { Pod } from '@coxswain/k8s';
import type { Action, ActorContext } from '@coxswain/runtime/actor';
import { merge } from '@coxswain/runtime/client';
import { keyOf } from '@coxswain/runtime/core';
import { ANNOTATION_CONFIRM_FAILOVER, confirmedPods, LogSet } from '../api/index.ts';
import { storesStatus } from './store-status.ts';

/**
 * Takes confirmations of stores back that are up again, if there are any: what was meant is the failure that is over, and the next one may
 * be that of a majority.
 */
export async function spentConfirmations(context: ActorContext<LogSet>): Promise<Action<LogSet> | undefined> {
  const { object, status } = context;
  const confirmed = confirmedPods(object);
  const up = (status.availableStores ?? []).flatMap(({ podName = '' }) => (confirmed.has(podName) ? [podName] : []));
  const spent = new Set<string>();
  for (const podName of up) if (await isUp(context, podName)) spent.add(podName);
  return spent.size > 0 ? takeBack(spent) : undefined;
}

/** Asked of the server: by what is known late a person's word would go who has just seen the store fail. */
async function isUp(
  { client, clock, object, signal, status }: ActorContext<LogSet>,
  podName: string,
): Promise<boolean> {
  const key = { namespace: object.metadata.namespace ?? '', name: podName };
  const pod = await client.of(Pod).find(key, { signal });
  return pod !== undefined && storesStatus([pod], status, clock.now()).availableStores.length > 0;
}

function takeBack(spent: ReadonlySet<string>): Action<LogSet> {
  return {
    name: 'TakeBackConfirmation',
    async run({ client, event, object, signal }) {
      const left = [...confirmedPods(object)].filter((name) => !spent.has(name)).join(',');
      const annotations = { [ANNOTATION_CONFIRM_FAILOVER]: left || null };
      const { resourceVersion } = object.metadata;
      await client.of(LogSet).patch(keyOf(object), merge({ metadata: { resourceVersion, annotations } }), { signal });
      const message = `${[...spent].join(', ')} up again: the confirmation that it may be replaced is taken back`;
      event({ reason: 'ConfirmationTakenBack', message, action: 'Failover' });
    },
  };
}
