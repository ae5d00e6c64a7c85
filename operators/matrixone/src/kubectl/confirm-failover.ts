import { merge } from '@coxswain/runtime/client';
import { keyOf } from '@coxswain/runtime/core';
import { ANNOTATION_CONFIRM_FAILOVER, confirmedPods, LogSet } from '../api/index.ts';
import { UnmetError, UsageError } from './errors.ts';
import type { Session } from './session.ts';
import { lasting } from './status/pod.ts';
import { plain } from './text.ts';

/** `confirm-failover`: names stores that are down, and may be replaced although the quorum does not allow it. */
export async function confirmFailover({ client, clock, line, namespace, screen, signal }: Session): Promise<number> {
  const [name, ...pods] = line.args;
  if (name === undefined || pods.length === 0)
    throw new UsageError('name the LogSet and the pods that may be replaced');
  const set = await client.of(LogSet).find({ namespace, name }, { signal });
  if (!set) throw new UnmetError(`there is no LogSet ${name} in namespace ${namespace}`);
  const down = set.status?.failedStores ?? [];
  const lost = pods.map((pod) => {
    const store = down.find(({ podName }) => podName === pod);
    if (!store) throw new UnmetError(`${pod} is not down as LogSet ${name} sees it; down are: ${namesOf(down)}`);
    return `${pod} (down${lasting(store.lastTransition, clock.now())})`;
  });
  if (!line.isSet('yes'))
    throw new UnmetError(
      `${lost.join(', ')}: would be replaced and the volumes deleted; where these hold a majority of the replicas, the log is lost and the database comes back from a backup only: say --yes when that may be`,
    );
  // what was confirmed of a store that came back by itself must not count the next time
  const confirmed = [...confirmedPods(set)].filter((pod) => down.some(({ podName }) => podName === pod));
  const annotation = [...new Set([...confirmed, ...pods])].join(',');
  const { resourceVersion } = set.metadata;
  const metadata = { resourceVersion, annotations: { [ANNOTATION_CONFIRM_FAILOVER]: annotation } };
  await client.of(LogSet).patch(keyOf(set), merge({ metadata }), { signal });
  screen.write(`logset/${plain(name)} may replace ${plain(lost.join(', '))}\n`);
  return 0;
}

function namesOf(stores: readonly { readonly podName?: string }[]): string {
  return stores.map(({ podName }) => podName).join(', ') || 'none';
}
