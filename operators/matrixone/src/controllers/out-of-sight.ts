import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { type Action, type ActorContext, Resync } from '@coxswain/runtime/actor';
import { merge } from '@coxswain/runtime/client';
import { controllerOf } from '@coxswain/runtime/controller';
import { ANNOTATION_BOOTSTRAP, type LogSet, logSetNames, setLabels } from '../api/index.ts';
import { keyOfSet } from './children.ts';
import { liveWorkload } from './logset-actions.ts';

/** Milliseconds between looks at what is known late. */
const lookAgain = 5_000;

/**
 * Brings the workload of a LogSet back in sight, where it is not known here and the server has it: somebody has taken away the labels by which it is
 * known. Only it knows which ordinals are out of use; made from nothing, a store would come back that has been replaced, without its data.
 * @throws Resync when it has its labels, and is known late
 */
export async function workloadOutOfSight(context: ActorContext<LogSet>): Promise<Action<LogSet> | undefined> {
  if (liveWorkload(context)) return undefined;
  const { client, object, signal } = context;
  const set = keyOfSet(object);
  const key = { namespace: set.namespace, name: logSetNames(set.name).workload };
  const found = await client.of(KruiseStatefulSet).find(key, { signal });
  const owner = found && controllerOf(found);
  const isOwn = owner ? owner.uid === object.metadata.uid : found?.metadata.annotations?.[ANNOTATION_BOOTSTRAP];
  if (!found || !isOwn) return undefined;
  const labels = setLabels('LogSet', set.namespace, set.name);
  const { labels: there, resourceVersion } = found.metadata;
  if (Object.entries(labels).every(([name, value]) => there?.[name] === value))
    throw new Resync(`StatefulSet ${key.name} is known late`, lookAgain);
  return {
    name: 'LabelWorkload',
    async run() {
      await client.of(KruiseStatefulSet).patch(key, merge({ metadata: { resourceVersion, labels } }), { signal });
    },
  };
}
