import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '@coxswain/k8s';
import { seededRandom } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { Decider } from './decision.ts';
import { verdict } from './diagnosis.ts';
import { Nominations } from './nominations.ts';
import type { Lookups } from './plugins/index.ts';
import { Preemption } from './preemption/candidates.ts';
import { ClusterState } from './state/cluster-state.ts';
import { podInfo } from './state/pod-info.ts';

const zone = 'topology.kubernetes.io/zone';
const hostname = 'kubernetes.io/hostname';

interface Objects {
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly volumes?: readonly PersistentVolume[];
  readonly classes?: readonly StorageClass[];
  readonly namespaces?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Nodes and pods without a server: decisions as they are made. */
class World {
  readonly state: ClusterState;
  readonly nominations = new Nominations();
  readonly #lookups: Lookups;

  constructor({ claims = [], volumes = [], classes = [], namespaces = {} }: Objects = {}) {
    this.state = new ClusterState((name) => namespaces[name]);
    const named = <T extends { readonly metadata: { readonly name: string } }>(list: readonly T[], name: string) =>
      list.find(({ metadata }) => metadata.name === name);
    this.#lookups = {
      claim: (_namespace, name) => named(claims, name),
      volume: (name) => named(volumes, name),
      volumes: () => volumes,
      isReserved: () => false,
      storageClass: (name) => named(classes, name),
      csiNode: () => undefined,
      services: () => [],
      replicaSet: () => undefined,
      statefulSet: () => undefined,
      replicationController: () => undefined,
    };
  }

  node(name: string, labels: Readonly<Record<string, string>> = {}, cpu = '4'): void {
    const object = {
      metadata: { name, labels: { [hostname]: name, ...labels } },
      status: { allocatable: { cpu, memory: '8Gi', pods: '100' } },
    } as unknown as Node;
    this.state.takeNode({ type: 'added', initial: true, object });
  }

  pod(name: string, spec: object = {}, labels: Readonly<Record<string, string>> = { app: 'x' }, namespace = 'default') {
    const containers = [{ name: 'c', image: 'a' }];
    return { metadata: { name, namespace, uid: name, labels }, spec: { containers, ...spec } } as unknown as Pod;
  }

  decide(pod: Pod) {
    const { state, nominations } = this;
    return new Decider({ state, nominations, lookups: this.#lookups, random: seededRandom(1) }).decide(podInfo(pod));
  }

  /** Places a pod where it is to go; answers the node, or why there is none. */
  place(pod: Pod): string {
    const decision = this.decide(pod);
    if (decision.kind === 'none') return verdict(decision.diagnosis);
    this.state.assume(podInfo(pod), decision.node.name);
    return decision.node.name;
  }

  preempt(pod: Pod, budgets: readonly object[] = []) {
    const decision = this.decide(pod);
    if (decision.kind === 'node') throw new Error('there is room');
    const { state } = this;
    const current = ({ pod: one }: { readonly pod: Pod }) => one;
    const preemption = new Preemption({ state, random: seededRandom(1), budgets: () => budgets as never, current });
    const found = preemption.find(podInfo(pod), decision.diagnosis, decision.trial);
    if (typeof found === 'string') return found;
    return { node: found.node.name, victims: found.victims.map(({ pod: { metadata } }) => metadata.name) };
  }
}

const cpu = (amount: string) => ({
  containers: [{ name: 'c', image: 'a', resources: { requests: { cpu: amount, memory: '64Mi' } } }],
});

test('spread counts eligible domains only; too few of them count as one that is empty', () => {
  const world = new World();
  world.node('a', { [zone]: 'a' });
  world.node('b', { [zone]: 'b', pool: 'db' });
  world.node('c', {});
  const spread = (more: object = {}) => ({
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: zone,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'x' } },
        ...more,
      },
    ],
  });
  const first = new Set([world.place(world.pod('p1', spread())), world.place(world.pod('p2', spread()))]);
  expect(first).toEqual(new Set(['a', 'b']));
  const uneven = "node(s) didn't match pod topology spread constraints";
  expect(world.place(world.pod('p3', spread({ minDomains: 3 })))).toBe(
    `0/3 nodes are available: 1 ${uneven} (missing required label), 2 ${uneven}.`,
  );
  // of the nodes its selector leaves, all are in one zone: no other is emptier
  expect(world.place(world.pod('p4', { ...spread(), nodeSelector: { pool: 'db' } }))).toBe('b');
  const everywhere = spread({ nodeAffinityPolicy: 'Ignore' });
  expect(world.place(world.pod('p5', { ...everywhere, nodeSelector: { pool: 'db' } }))).toContain(`1 ${uneven}`);
  // pods of another revision are others
  const revision = spread({ matchLabelKeys: ['rev'] });
  const next = new Set([
    world.place(world.pod('q1', revision, { app: 'x', rev: '2' })),
    world.place(world.pod('q2', revision, { app: 'x', rev: '2' })),
  ]);
  expect(next).toEqual(new Set(['a', 'b']));
});

test('affinity reaches into namespaces by name and by label, and both ways', () => {
  const world = new World({ namespaces: { other: { team: 'db' } } });
  world.node('a');
  world.node('b');
  world.state.assume(podInfo(world.pod('db', {}, { app: 'db' }, 'other')), 'a');
  const term = { topologyKey: hostname, labelSelector: { matchLabels: { app: 'db' } } };
  const near = (more: object) => ({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...term, ...more }] } },
  });
  expect(world.place(world.pod('p1', near({})))).toContain("didn't match pod affinity rules");
  expect(world.place(world.pod('p2', near({ namespaces: ['other'] })))).toBe('a');
  expect(world.place(world.pod('p3', near({ namespaceSelector: { matchLabels: { team: 'db' } } })))).toBe('a');
  const apart = {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: hostname, labelSelector: { matchLabels: { app: 'guest' } }, namespaceSelector: {} },
        ],
      },
    },
  };
  expect(world.place(world.pod('p4', { ...apart, nodeName: 'a' }))).toBe('a');
  expect(world.place(world.pod('guest', {}, { app: 'guest' }))).toBe('b');
});

test('the least important pods go, as few as can be, and rather not those a budget keeps', () => {
  const world = new World();
  world.node('a');
  world.node('b');
  const put = (name: string, node: string, priority: number, amount: string) =>
    world.state.assume(podInfo(world.pod(name, { ...cpu(amount), priority }, { app: name })), node);
  put('a-low', 'a', 1, '2');
  put('a-mid', 'a', 5, '2');
  put('b-low', 'b', 1, '1');
  put('b-mid', 'b', 5, '3');
  const high = world.pod('high', { ...cpu('2'), priority: 10 });
  expect(world.preempt(high)).toEqual({ node: 'a', victims: ['a-low'] });
  const budget = (app: string) => ({
    metadata: { namespace: 'default', name: app },
    spec: { selector: { matchLabels: { app } } },
    status: { disruptionsAllowed: 0 },
  });
  expect(world.preempt(high, [budget('a-low'), budget('a-mid')])).toEqual({ node: 'b', victims: ['b-mid'] });
  expect(world.preempt(world.pod('none', { ...cpu('2'), priority: 1 }))).toBe(
    '0/2 nodes are available: 2 No preemption victims found for incoming pod.',
  );
  // the trials have left everything as it was
  expect(world.state.node('a')?.requested.cpu).toBe(4000);
  expect(world.state.node('b')?.pods.size).toBe(2);
});

test('room that was promised to a more important pod is not given away', () => {
  const world = new World();
  world.node('a');
  world.nominations.set(podInfo(world.pod('promised', { ...cpu('3'), priority: 10 })), 'a');
  expect(world.place(world.pod('small', cpu('2')))).toBe('0/1 nodes are available: 1 Insufficient cpu.');
  expect(world.place(world.pod('greater', { ...cpu('2'), priority: 20 }))).toBe('a');
});

test('claims that wait for a pod lead to the nodes where a volume is, or can be made', () => {
  const claim = (name: string, storageClassName: string) => ({
    metadata: { name, namespace: 'default', uid: name },
    spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  const at = (name: string) => ({
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: hostname, operator: 'In', values: [name] }] }] },
  });
  const local = {
    metadata: { name: 'local-b' },
    spec: {
      storageClassName: 'local',
      capacity: { storage: '2Gi' },
      accessModes: ['ReadWriteOnce'],
      nodeAffinity: at('b'),
    },
    status: { phase: 'Available' },
  };
  const volumeBindingMode = 'WaitForFirstConsumer';
  const zones = [{ matchLabelExpressions: [{ key: zone, values: ['z2'] }] }];
  const world = new World({
    claims: [claim('one', 'local'), claim('two', 'made')] as never,
    volumes: [local] as never,
    classes: [
      { metadata: { name: 'local' }, provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode },
      { metadata: { name: 'made' }, provisioner: 'x.io/y', volumeBindingMode, allowedTopologies: zones },
    ] as never,
  });
  world.node('a', { [zone]: 'z1' });
  world.node('b', { [zone]: 'z1' });
  world.node('c', { [zone]: 'z2' });
  const mounts = (claimName: string) => ({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] });
  expect(world.place(world.pod('p1', mounts('one')))).toBe('b');
  expect(world.place(world.pod('p2', mounts('two')))).toBe('c');
  expect(world.place(world.pod('p3', mounts('none')))).toBe(
    '0/3 nodes are available: persistentvolumeclaim "none" not found.',
  );
});

test('wishes decide between nodes that can', () => {
  const world = new World();
  world.node('a', { disk: 'ssd' });
  world.node('b', {});
  const term = { weight: 1, preference: { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] } };
  const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term] } };
  for (const name of ['p1', 'p2', 'p3']) expect(world.place(world.pod(name, { affinity }))).toBe('a');
  // the emptier node otherwise
  expect(world.place(world.pod('p4', cpu('1')))).toBe('b');
});
