import type { Kind, KubeObject } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import type { ActorContext } from '@coxswain/runtime/actor';
import { expect, test } from 'vitest';
import { type CNSet, LogSet } from '../api/index.ts';
import { logView } from './log-view.ts';

const sharedStorage = { s3: { path: 'lake/x' } };
const log: LogSet = {
  metadata: { name: 'mo', namespace: 'db' },
  spec: { replicas: 3, volume: { size: '1Gi' }, sharedStorage },
};
const stores: KruiseStatefulSet = {
  metadata: { name: 'mo-log', namespace: 'db' },
  spec: { replicas: 3, reserveOrdinals: [1] },
} as unknown as KruiseStatefulSet;

/** What a set in the namespace `apps` sees, of what there is. */
function seen(deps: CNSet['deps'], present: readonly (readonly [Kind, KubeObject])[]) {
  const store = (kind: Kind) => ({
    get: ({ namespace, name }: { namespace?: string; name: string }) =>
      present.find(
        ([of, { metadata }]) => of === kind && metadata.name === name && metadata.namespace === namespace,
      )?.[1],
  });
  const object = { metadata: { name: 'tp', namespace: 'apps' }, spec: { replicas: 1, serviceType: 'ClusterIP' }, deps };
  return () => logView({ object, store } as unknown as ActorContext<CNSet>);
}

const deps = { logSet: { metadata: { name: 'mo', namespace: 'db' } } };

test('reserved ordinals are read from the StatefulSet of the log stores [case 18]', () => {
  const all = [[LogSet as Kind, log] as const, [KruiseStatefulSet as Kind, stores] as const];
  expect(seen(deps, all)()).toEqual({
    service: { name: 'mo', namespace: 'db', replicas: 3, reserveOrdinals: [1] },
    storage: sharedStorage,
  });
});

test('while it is not there nothing is known of them: the dependant waits, and is not told of stores that were replaced [case 18]', () => {
  expect(seen(deps, [[LogSet as Kind, log]])).toThrow('StatefulSet mo-log of LogSet mo does not exist yet');
  expect(seen(deps, [])).toThrow('LogSet mo does not exist yet');
});

test('without a log service of ours none are reserved [case 18]', () => {
  const externalLogSet = { haKeeperEndpoint: 'log.example:32001' };
  const { service } = seen({ externalLogSet }, [])();
  expect([service.endpoint, service.reserveOrdinals]).toEqual(['log.example:32001', undefined]);
});
