import {
  ConfigMap,
  Deployment,
  Job,
  type Kind,
  type KubeObject,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  Secret,
  Service,
  ServiceAccount,
  StorageClass,
} from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { type Client, createClient, merge, strategic } from '@coxswain/runtime/client';
import { type Clock, formatTime, isAlreadyExists, keyOf } from '@coxswain/runtime/core';
import {
  ANNOTATION_CN_STATE,
  type BucketClaim,
  type CNClaim,
  CONDITION_CN_STORE,
  FINALIZER_CN_DRAINING,
  LABEL_CLAIMED_BY,
  LABEL_CN_UUID,
  LABEL_COMPONENT,
  LABEL_INSTANCE,
  LABEL_PHASE,
  LABEL_POOL,
  resources,
} from '../api/index.ts';
import type { Recording } from '../golden/test-recording.ts';
import { cnStoreUuid } from '../identity/index.ts';

/** Owners before what they own. */
const kinds: readonly Kind[] = [
  ...['MatrixOneCluster', 'LogSet', 'BucketClaim', 'DNSet', 'CNPool', 'CNSet', 'ProxySet', 'WebUI'].map(
    (name) => resources.find(({ kind }) => kind === name) as Kind,
  ),
  ...['CNClaimSet', 'CNClaim', 'BackupJob', 'Backup', 'RestoreJob'].map(
    (name) => resources.find(({ kind }) => kind === name) as Kind,
  ),
  Secret,
  ConfigMap,
  Service,
  Job,
  Deployment,
  KruiseStatefulSet,
  CloneSet,
];

/** Made once the pods are there that they name. */
const afterPods: ReadonlySet<string> = new Set(['CNClaimSet', 'CNClaim']);

/** What the pods of the recordings need to run. */
const needs: readonly (readonly [Kind, string, object])[] = [
  [Secret, 'minio', { stringData: { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' } }],
  [Secret, 'ca', { stringData: { 'ca.pem': 'x' } }],
  [Secret, 'cert', { stringData: { 'ca.pem': 'x', 'ca.crt': 'x' } }],
  [ConfigMap, 'e', { data: { VARIABLE: 'x' } }],
  [ServiceAccount, 'sa1', {}],
];

/** A cluster without an operator, and how time passes there. */
export interface Place {
  readonly client: Client;
  readonly clock: Clock;
  /** Lets time go on until a promise is settled. */
  drive<T>(promise: Promise<T>): Promise<T>;
  /** Lets time go on until `holds`. */
  until(what: string, holds: () => Promise<boolean>, seconds: number): Promise<unknown>;
}

/** As the upstream operator and OpenKruise leave it: objects in their recorded state, pods that run, no operator. */
export class Upstream {
  readonly namespace: string;
  readonly #world: Place;
  readonly #client: Client;
  readonly #workloads: readonly KubeObject[];
  /** Names of pods then, and now. */
  readonly #renamed = new Map<string, string>();
  readonly #uids = new Map<string, string>();

  private constructor(world: Place, namespace: string, workloads: readonly KubeObject[]) {
    this.namespace = namespace;
    this.#workloads = workloads;
    this.#world = world;
    const { transport } = world.client;
    this.#client = createClient({ transport, fieldManager: 'manager', clock: world.clock });
  }

  /** @param world without an operator */
  static async load(world: Place, { stored, sent }: Recording): Promise<Upstream> {
    const namespace = stored.all[0]?.metadata.namespace ?? '';
    await world.drive(world.client.of(Namespace).create({ metadata: { name: namespace } }));
    for (const [kind, name, rest] of needs) {
      await world.drive(world.client.of(kind).create({ metadata: { namespace, name }, ...rest } as KubeObject));
    }
    const gp3 = { metadata: { name: 'gp3' }, provisioner: 'coxswain.io/embedded' };
    await world.drive(ensure(world.client, StorageClass, gp3));
    for (const { metadata } of (await world.drive(world.client.of(Node).list())).items) {
      const labels = { disk: 'fast', k: 'v', 'kubernetes.io/arch': 'amd64' };
      await world.drive(world.client.of(Node).patch(keyOf({ metadata }), merge({ metadata: { labels } })));
    }
    // OpenKruise's webhook fills in defaults at each write, ours has none: there stored is what was sent.
    const isWorkload = ({ kind = '' }: KubeObject) => kind === 'StatefulSet' || kind === 'CloneSet';
    const workloads = sent.all.length > 0 ? sent.all : stored.all.filter(isWorkload).map(withoutDefaults);
    const others = stored.all.filter((object) => !isWorkload(object));
    const upstream = new Upstream(world, namespace, workloads);
    const ofKind = (kind: Kind) => [...others, ...workloads].filter((object) => object.kind === kind.kind);
    const isLate = (kind: Kind) => afterPods.has(kind.kind);
    for (const kind of kinds.filter((one) => !isLate(one))) {
      for (const object of ofKind(kind)) await world.drive(upstream.#put(kind, object));
    }
    await upstream.#start();
    await upstream.#bind(
      stored.all.filter(({ kind }) => kind === 'CNClaim') as readonly KubeObject[] as readonly CNClaim[],
    );
    for (const kind of kinds.filter(isLate)) {
      for (const object of ofKind(kind)) await world.drive(upstream.#put(kind, object));
    }
    for (const kind of kinds.slice(0, 13)) {
      for (const object of stored.all.filter((one) => one.kind === kind.kind)) {
        await world.drive(upstream.#tell(kind, object));
      }
    }
    return upstream;
  }

  async #put(kind: Kind, { metadata, ...rest }: KubeObject): Promise<void> {
    const ownerReferences = metadata.ownerReferences?.map((reference) => {
      const uid = this.#uids.get(`${reference.kind} ${reference.name}`);
      if (!uid)
        throw new Error(`${reference.kind} ${reference.name} owns ${metadata.name} and is not in the recording`);
      return { ...reference, uid };
    });
    const object = { ...rest, metadata: { ...metadata, ...(ownerReferences && { ownerReferences }) } };
    const made = await this.#client.of(kind).create(this.#whole(this.#named(object as KubeObject)));
    this.#uids.set(`${kind.kind} ${metadata.name}`, made.metadata.uid ?? '');
  }

  /** Recordings have `UID.LogSet.mo` for the UID of LogSet `mo`. */
  #named(object: KubeObject): KubeObject {
    const text = JSON.stringify(object).replace(
      /UID\.(\w+)\.([-\w]+)/g,
      (all, kind, name) => this.#uids.get(`${kind} ${name}`) ?? all,
    );
    return JSON.parse([...this.#renamed].reduce((before, [then, now]) => before.replaceAll(then, now), text));
  }

  /** Puts in what recordings say in another way: the data of Secrets is text, pod templates stand at the workloads alone. */
  #whole(object: KubeObject): KubeObject {
    if (object.kind === 'Secret') {
      const { data = {}, ...rest } = object as Secret;
      return { ...rest, stringData: data } as Secret;
    }
    if (object.kind === 'Job') return withoutSelector(object as Job);
    if (object.kind !== 'BucketClaim') return object;
    const claim = object as BucketClaim;
    const log = this.#workloads.find(({ metadata }) => metadata.name.endsWith('-log')) as KruiseStatefulSet | undefined;
    return { ...claim, spec: { ...claim.spec, logSetSpec: log?.spec.template ?? {} } } as KubeObject;
  }

  async #tell(kind: Kind, object: KubeObject): Promise<void> {
    const { status } = object as KubeObject & { readonly status?: object };
    // The status of a claim is no subresource, and was stored with it.
    if (!status || kind.kind === 'BucketClaim') return;
    const live = await this.#client.of(kind).get(keyOf(this.#named(object)));
    const now = formatTime(this.#world.clock.now());
    const isTimed = (name: string) => name === 'conditions' || name.endsWith('Stores');
    const timed = JSON.parse(JSON.stringify(status), (name, value) =>
      isTimed(name) && Array.isArray(value)
        ? value.map((one) => ({ lastTransitionTime: now, lastTransition: now, ...one }))
        : value,
    );
    await this.#client.of(kind).patch(keyOf(live), merge({ status: timed }), { subresource: 'status' });
  }

  /** Lets pods come up, and puts compute nodes into service as upstream's controller does. */
  async #start(): Promise<void> {
    await this.#world.until(
      'all pods run',
      async () => {
        const pods = await this.pods();
        for (const pod of pods) if (isComputeNode(pod)) await this.#serve(pod);
        return pods.length > 0 && pods.every((pod) => isReady(pod) || !isNode(pod));
      },
      60,
    );
  }

  /** Gives the recorded claims nodes of ours, as those of then have other names. */
  async #bind(claims: readonly CNClaim[]): Promise<void> {
    const nodes = (await this.#world.drive(this.pods())).filter((pod) => pod.metadata.labels?.[LABEL_POOL]);
    for (const [i, pod] of nodes.entries()) {
      const claim = claims[i];
      const labels = claim
        ? { [LABEL_PHASE]: 'Bound', [LABEL_CLAIMED_BY]: claim.metadata.name }
        : { [LABEL_PHASE]: 'Idle' };
      if (claim?.spec?.podName) this.#renamed.set(claim.spec.podName, pod.metadata.name);
      await this.#world.drive(this.#client.of(Pod).patch(keyOf(pod), merge({ metadata: { labels } })));
    }
  }

  async #serve(pod: Pod): Promise<void> {
    if (pod.metadata.labels?.[LABEL_CN_UUID]) return;
    const { namespace = '', name, labels = {} } = pod.metadata;
    const uuid = cnStoreUuid(name, `${labels[LABEL_INSTANCE]}-cn-headless`, namespace);
    const metadata = {
      labels: { [LABEL_CN_UUID]: uuid },
      annotations: { [ANNOTATION_CN_STATE]: 'Up' },
      finalizers: [...(pod.metadata.finalizers ?? []), FINALIZER_CN_DRAINING],
    };
    await this.#client.of(Pod).patch(keyOf(pod), merge({ metadata }));
    const lastTransitionTime = formatTime(this.#world.clock.now());
    const gate = { type: CONDITION_CN_STORE, status: 'True', reason: 'CNStoreReady', lastTransitionTime };
    const patch = strategic({ status: { conditions: [gate] } });
    await this.#client.of(Pod).patch(keyOf(pod), patch, { subresource: 'status' });
  }

  /** All that is there, by kind and name. */
  async objects(): Promise<ReadonlyMap<string, KubeObject>> {
    const found = new Map<string, KubeObject>();
    for (const kind of [...kinds, PodDisruptionBudget, Pod, PersistentVolumeClaim]) {
      for (const object of (await this.#world.client.of(kind).list({ namespace: this.namespace })).items) {
        found.set(`${kind.kind} ${object.metadata.name}`, object);
      }
    }
    return found;
  }

  async pods(): Promise<readonly Pod[]> {
    return (await this.#world.client.of(Pod).list({ namespace: this.namespace, labels: LABEL_COMPONENT })).items;
  }
}

async function ensure<T extends KubeObject>(client: Client, kind: Kind<T>, object: T): Promise<void> {
  await client
    .of(kind)
    .create(object)
    .catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
}

/** What OpenKruise's webhook fills in, as the recordings show it. */
const filledIn: Readonly<Record<string, unknown>> = {
  dnsPolicy: 'ClusterFirst',
  restartPolicy: 'Always',
  schedulerName: 'default-scheduler',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  revisionHistoryLimit: 10,
};

/** The server chooses it. */
function withoutSelector({ spec, ...job }: Job): Job {
  if (!spec) return job;
  const { selector: _, template, ...rest } = spec;
  const labels = Object.entries(template.metadata?.labels ?? {}).filter(
    ([name]) => !/controller-uid|job-name/.test(name),
  );
  return { ...job, spec: { ...rest, template: { ...template, metadata: { labels: Object.fromEntries(labels) } } } };
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function withoutDefaults(object: KubeObject): KubeObject {
  return JSON.parse(JSON.stringify(object), (name, value) => {
    const isFilled = value === filledIn[name] || (name === 'securityContext' && isEmptyObject(value));
    return name !== '' && isFilled ? undefined : value;
  });
}

function isComputeNode({ metadata }: Pod): boolean {
  return metadata.labels?.[LABEL_COMPONENT] === 'CNSet';
}

/** Whether the database is made of it. The dashboard has a readiness gate that nobody opens, and jobs end. */
function isNode({ metadata }: Pod): boolean {
  return /^(LogSet|DNSet|CNSet|ProxySet)$/.test(metadata.labels?.[LABEL_COMPONENT] ?? '');
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
}
