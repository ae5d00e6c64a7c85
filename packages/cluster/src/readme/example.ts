import { startCluster } from '@coxswain/cluster';
import { ConfigMap } from '@coxswain/k8s';
import { ConnectionError } from '@coxswain/runtime/client';

/** A create whose answer is lost on the way: it fails for the client, and is done all the same. */
export async function lostReply(): Promise<ConfigMap> {
  await using cluster = await startCluster();
  const maps = cluster.client.of(ConfigMap);
  const rule = cluster.faults.add({
    match: { verb: 'create', resource: 'configmaps', user: 'kubernetes-admin' },
    when: { times: 1 },
    action: { loseReply: true },
  });
  await maps.create({ metadata: { namespace: 'default', name: 'web' } }).catch((error: unknown) => {
    if (!(error instanceof ConnectionError)) throw error;
  });
  if (rule.counts.fired !== 1) throw new Error('nothing was lost');
  rule.remove();
  cluster.compactNow(); // who lists or watches from an older revision gets 410 now
  return await maps.get({ namespace: 'default', name: 'web' });
}
