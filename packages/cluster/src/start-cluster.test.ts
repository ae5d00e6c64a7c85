import {
  type CustomResourceDefinition,
  Deployment,
  Job,
  type Kind,
  type KubeObject,
  Lease,
  Node,
  PersistentVolumeClaim,
  Pod,
  ReplicaSet,
  Service,
  StatefulSet,
} from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { seededRandom } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { TestCluster, template } from './controllers/test-cluster.ts';

/** Where every kind of object is listed, but not the leases and events, which live by time. */
async function resources(world: TestCluster): Promise<readonly Kind[]> {
  const groups = (await world.client.raw({ method: 'GET', path: '/apis' })) as {
    readonly groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[];
  };
  const served = groups.groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `/apis/${groupVersion}`));
  const paths = ['/api/v1', ...served];
  const kinds: Kind[] = [];
  for (const path of paths) {
    const list = (await world.client.raw({ method: 'GET', path })) as {
      readonly groupVersion: string;
      readonly resources: readonly {
        readonly name: string;
        readonly kind: string;
        readonly namespaced: boolean;
        readonly verbs: readonly string[];
      }[];
    };
    const [version = '', group = ''] = list.groupVersion.split('/').reverse();
    // nodes renew their leases, and every five minutes say how they are
    for (const { name, kind, namespaced, verbs } of list.resources)
      if (verbs.includes('list') && name !== 'leases' && name !== 'nodes' && kind !== 'Event')
        kinds.push({ group, version, kind, plural: name, scope: namespaced ? 'Namespaced' : 'Cluster' });
  }
  return kinds;
}

/** The version of every object, by kind and name. */
async function versions(world: TestCluster): Promise<Readonly<Record<string, string | undefined>>> {
  const all: Record<string, string | undefined> = {};
  for (const kind of await resources(world))
    for await (const { metadata } of world.client.of(kind).listAll())
      all[`${kind.group}/${kind.plural} ${metadata.namespace ?? ''}/${metadata.name}`] = metadata.resourceVersion;
  return all;
}

const workload = (app: string, replicas: number) => ({
  replicas,
  selector: { matchLabels: { app } },
  template: template({ app }),
});
const storage = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

/** A bit of everything, made, changed and scaled. */
async function scenario(world: TestCluster): Promise<void> {
  await world.create(Service, { metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } });
  await world.create(Deployment, { metadata: { name: 'web' }, spec: workload('web', 3) });
  await world.create(StatefulSet, {
    metadata: { name: 'db' },
    spec: { ...workload('db', 2), serviceName: 'db', volumeClaimTemplates: [storage] },
  });
  await world.create(KruiseStatefulSet, {
    metadata: { name: 'log' },
    spec: { ...workload('log', 3), reserveOrdinals: [1], podManagementPolicy: 'Parallel' },
  });
  await world.create(CloneSet, {
    metadata: { name: 'cn' },
    spec: { ...workload('cn', 2), updateStrategy: { type: 'InPlaceIfPossible' } },
  });
  const work = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'app:1', command: ['sleep', '5'] }] };
  await world.create(Job, { metadata: { name: 'work' }, spec: { completions: 2, template: { spec: work } } });
  await world.create(Pod, {
    metadata: { name: 'nowhere' },
    spec: { nodeSelector: { a: 'b' }, containers: [{ name: 'c', image: 'a' }] },
  });
  await world.advance(60);
  await world.patch(Deployment, 'web', { spec: { template: template({ app: 'web' }, 'app:2'), replicas: 4 } });
  await world.patch(CloneSet, 'cn', { spec: { template: template({ app: 'cn' }, 'app:2'), replicas: 3 } });
  await world.patch(StatefulSet, 'db', { spec: { template: template({ app: 'db' }, 'app:2'), replicas: 1 } });
  await world.patch(KruiseStatefulSet, 'log', { spec: { replicas: 2 } });
  await world.advance(120);
}

test('nothing happens when nothing happens: in an hour only nodes say that they are there', async () => {
  await using world = await TestCluster.start({ nodes: 2 });
  await scenario(world);
  // progress deadlines, and whatever else is still due
  await world.advance(900);
  const before = await versions(world);
  const leases = (await world.client.of(Lease).list({ namespace: 'kube-node-lease' })).items;
  await world.advance(3600);
  expect(await versions(world)).toEqual(before);
  const later = (await world.client.of(Lease).list({ namespace: 'kube-node-lease' })).items;
  expect(later.map(({ metadata }) => metadata.resourceVersion)).not.toEqual(
    leases.map(({ metadata }) => metadata.resourceVersion),
  );
  expect(world.cluster.idle).toBe(true);
});

test('definitions that a cluster is given are served from its start', async () => {
  const names = { plural: 'shelves', singular: 'shelf', kind: 'Shelf', listKind: 'ShelfList' };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: {} } } } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  const definition = {
    metadata: { name: 'shelves.library.example' },
    spec: { group: 'library.example', scope: 'Namespaced', names, versions },
  } satisfies CustomResourceDefinition;
  await using world = await TestCluster.start({ definitions: [definition] });
  const shelf: Kind = {
    group: 'library.example',
    version: 'v1',
    kind: 'Shelf',
    plural: 'shelves',
    scope: 'Namespaced',
  };
  await world.create(shelf, { metadata: { name: 'poems' } });
  expect(await world.names(shelf)).toEqual(['poems']);
});

/** The newest version the server has given out: one more for each write. */
async function newestVersion(world: TestCluster): Promise<number> {
  return Number((await world.client.of(Pod).list({ namespace: 'default' })).metadata?.resourceVersion);
}

test('a second look at everything writes nothing', async () => {
  await using world = await TestCluster.start({ nodes: 2 });
  await scenario(world);
  await world.advance(900);
  const before = await newestVersion(world);
  let touched = 0;
  for (const kind of [
    StatefulSet,
    KruiseStatefulSet,
    CloneSet,
    ReplicaSet,
    Job,
    Service,
    Pod,
    PersistentVolumeClaim,
    Node,
  ])
    for (const name of await world.names(kind as Kind<KubeObject>)) {
      await world.patch(kind as Kind<KubeObject>, name, { metadata: { annotations: { look: 'again' } } });
      touched++;
    }
  expect(touched).toBeGreaterThan(20);
  expect((await newestVersion(world)) - before).toBe(touched);
});

/** Every change of the given kinds, in order. */
async function record(seed: number): Promise<readonly string[]> {
  await using world = await TestCluster.start({ nodes: 3, random: seededRandom(seed) });
  const seen: string[] = [];
  const follow = async (kind: Kind<KubeObject>) => {
    const abort = new AbortController();
    const stream = await world.client.of(kind).watch({ signal: abort.signal });
    const done = (async () => {
      for await (const batch of stream)
        for (const event of batch) if (event.type !== 'BOOKMARK') seen.push(JSON.stringify([event.type, event.object]));
    })().catch(() => {});
    return async () => {
      abort.abort();
      await done;
    };
  };
  const stops = [];
  for (const kind of [Pod, Deployment, StatefulSet, CloneSet, Job]) stops.push(await follow(kind as Kind<KubeObject>));
  await scenario(world);
  for (const stop of stops) await world.drive(stop());
  return seen;
}

test('the same seed gives the same run, event by event', async () => {
  const first = await record(7);
  expect(first.length).toBeGreaterThan(100);
  expect(await record(7)).toEqual(first);
  expect(await record(8)).not.toEqual(first);
});
