import { Pod } from '@coxswain/k8s';
import { CNSet, LABEL_COMPONENT, setLabels } from '../api/index.ts';
import { UnmetError, UsageError } from './errors.ts';
import type { Session } from './session.ts';

/**
 * The pods of the compute nodes that words of a command line name: pods, or CNSets for all their pods; `pod/NAME` or `cnset/NAME` where
 * both have it. @throws UsageError UnmetError
 */
export async function computeNodes(session: Session): Promise<readonly Pod[]> {
  const { args } = session.line;
  if (args.length === 0) throw new UsageError('name a pod of a compute node, or a CNSet');
  const found: Pod[] = [];
  for (const word of args) found.push(...(await named(session, word)));
  return [...new Map(found.map((pod) => [pod.metadata.name, pod])).values()];
}

async function named({ client, namespace, signal }: Session, word: string): Promise<readonly Pod[]> {
  const [, kind, name = ''] = /^(?:(pods?|cnsets?)\/)?(.*)$/.exec(word) ?? [];
  if (name === '' || name.includes('/')) throw new UsageError(`"${word}" is not pod/NAME, cnset/NAME or NAME`);
  if (!kind?.startsWith('cnset')) {
    const pod = await client.of(Pod).find({ namespace, name }, { signal });
    if (pod?.metadata.labels?.[LABEL_COMPONENT] === 'CNSet') return [pod];
    if (pod) throw new UnmetError(`pod ${name} in namespace ${namespace} is not that of a compute node`);
  }
  if (!kind?.startsWith('pod') && (await client.of(CNSet).find({ namespace, name }, { signal }))) {
    const labels = setLabels('CNSet', namespace, name);
    return (await client.of(Pod).list({ namespace, labels, signal })).items;
  }
  const what = kind ? `${kind.replace(/s$/, '')} ${name}` : `pod or CNSet ${name}`;
  throw new UnmetError(`there is no ${what} in namespace ${namespace}`);
}
