import { fileURLToPath } from 'node:url';
import { applyManifests, loadManifests } from '@coxswain/cli';
import { startCluster } from '@coxswain/cluster';
import type { Condition, KubeObject } from '@coxswain/k8s';
import { matrixoneOperator } from '@coxswain/operator-matrixone';
import { installCrds } from '@coxswain/runtime/apply';
import { createManager } from '@coxswain/runtime/manager';

const example = fileURLToPath(new URL('../../examples/matrixone/cluster.yaml', import.meta.url));

function isReady(object: KubeObject): boolean {
  const { status } = object as { readonly status?: { readonly conditions?: readonly Condition[] } };
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

/** Milliseconds from the apply of the MatrixOne example to its Ready, operator in the same process, simulated pods. */
export async function applyToReady(): Promise<number> {
  const manifests = await loadManifests([example]);
  await using cluster = await startCluster({ nodes: 3 });
  await installCrds(cluster.client, matrixoneOperator.crds());
  await using manager = createManager({ client: cluster.client, name: matrixoneOperator.name });
  matrixoneOperator.setup(manager);
  await manager.start();
  const since = performance.now();
  const applied = (await applyManifests(cluster.client, manifests)).find(
    ({ kind }) => kind.kind === 'MatrixOneCluster',
  );
  if (!applied) throw new Error(`${example} has no MatrixOneCluster`);
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new Error('the MatrixOne example is not Ready after 60s')), 60_000);
  const { name, namespace } = applied.key;
  const scope = { fields: { 'metadata.name': name }, ...(namespace ? { namespace } : {}) };
  try {
    for await (const events of await cluster.client
      .of(applied.kind)
      .watch({ ...scope, sendInitialEvents: true, allowBookmarks: true, signal: stop.signal }))
      for (const event of events)
        if (event.type !== 'BOOKMARK' && event.type !== 'ERROR' && isReady(event.object))
          return performance.now() - since;
    throw new Error('the watch ended before the example was Ready');
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}
