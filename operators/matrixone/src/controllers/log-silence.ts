import type { ActorContext } from '@coxswain/runtime/actor';
import { conditionsOf } from '@coxswain/runtime/apply';
import { CONDITION_HAKEEPER_SILENT, type LogSet } from '../api/index.ts';
import { haKeeperOf } from '../cnstore/index.ts';
import type { Elapsed } from '../elapsed/index.ts';
import { type LogKeeper, silentUntilTold } from '../logstore/index.ts';
import { keyOfSet } from './children.ts';
import { storeMoment } from './log-moment.ts';

/**
 * Tells of a HAKeeper that does not answer although a majority of its stores has been up for as long: that a pod is ready says only that its program
 * runs. While it is not known whether it answers, what was told stands.
 */
export function reportSilence(context: ActorContext<LogSet>, keeper: LogKeeper | undefined, elapsed: Elapsed): void {
  const { conditions, event, object } = context;
  const haKeeper = haKeeperOf(keyOfSet(object));
  const silentFor = keeper?.silentFor(haKeeper);
  if (!keeper || silentFor === 0 || !isMajorityUp(context, elapsed, 0)) {
    conditions.remove(CONDITION_HAKEEPER_SILENT);
    return;
  }
  const isTold = conditions.get(CONDITION_HAKEEPER_SILENT) !== undefined;
  const isNews = (silentFor ?? 0) >= silentUntilTold && isMajorityUp(context, elapsed, silentUntilTold);
  if (!isTold && !isNews) return;
  const message = `HAKeeper at ${haKeeper} has not answered for a minute or more, though most log stores are up: either the database stands still, or only the operator cannot reach it; the logs of the log stores say which`;
  conditions.set(CONDITION_HAKEEPER_SILENT, 'True', 'NoAnswer', message);
  if (!isTold) event({ type: 'Warning', reason: CONDITION_HAKEEPER_SILENT, message });
}

/** Whether most of the stores have been up for so many milliseconds. */
function isMajorityUp({ object, status }: ActorContext<LogSet>, elapsed: Elapsed, least: number): boolean {
  const up = (status.availableStores ?? []).filter(
    ({ podName, lastTransition }) =>
      least === 0 || (lastTransition && elapsed.since(storeMoment(object, podName), lastTransition) >= least),
  );
  return up.length > object.spec.replicas / 2;
}

/** What the cluster of a log service says of its silence. */
export function silenceOf(log: LogSet): string | undefined {
  return conditionsOf(log).find(({ type }) => type === CONDITION_HAKEEPER_SILENT)?.message;
}
