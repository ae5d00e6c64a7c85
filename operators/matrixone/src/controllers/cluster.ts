import type { Kind, KubeObject } from '@coxswain/k8s';
import { type Action, type Actor, type ActorContext, Resync } from '@coxswain/runtime/actor';
import { hasFinalizer } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { keyOf } from '@coxswain/runtime/core';
import {
  ANNOTATION_SKIP_SYNC,
  CNSet,
  credentialName,
  DNSet,
  FINALIZER_CNSET,
  FINALIZER_DNSET,
  FINALIZER_LOGSET,
  FINALIZER_PROXYSET,
  LogSet,
  MatrixOneCluster,
  ProxySet,
  RestoreJob,
  WebUI,
} from '../api/index.ts';
import { cnGroupsOf, cnSetOf, credentialOf, dnSetOf, logSetOf, proxySetOf, webUIOf } from '../children/index.ts';
import { type DefaultServiceArgs, defaultCluster, initialOperatorVersion } from '../defaults/index.ts';
import { clusterProblems } from '../validation/index.ts';
import { reportCluster } from './cluster-status.ts';
import { isScaledElsewhere, takeReplicasBack, withoutReplicas } from './group-replicas.ts';
import { refuse, refuseProblems } from './refuse.ts';
import { restoreStep } from './restore.ts';
import { makeOnce } from './secret-once.ts';

type Context = ActorContext<MatrixOneCluster>;

/** The life of a whole cluster (`spec/matrixone.md` §2.14): it only writes sets and sums them up. */
export class ClusterActor implements Actor<MatrixOneCluster> {
  readonly #args: DefaultServiceArgs;
  readonly #restores: boolean;
  readonly #proxies: boolean;
  readonly #metricReader: boolean;

  constructor(options: {
    readonly serviceArgs: DefaultServiceArgs;
    readonly restores: boolean;
    /** Whether proxies have a controller, which alone takes their finalizer away. */
    readonly proxies: boolean;
    /** Whether somebody makes the users that metrics are read with. */
    readonly metricReader: boolean;
  }) {
    this.#args = options.serviceArgs;
    this.#restores = options.restores;
    this.#proxies = options.proxies;
    this.#metricReader = options.metricReader;
  }

  async observe(context: Context): Promise<Action<MatrixOneCluster> | undefined> {
    const { object } = context;
    if (object.metadata.annotations?.[ANNOTATION_SKIP_SYNC]) return undefined;
    refuseProblems(context, clusterProblems({ ...object, spec: defaultCluster(object.spec, this.#args) }));
    if (!this.#args.bare && isNew(context) && object.spec.operatorVersion === undefined) return pinOperatorVersion;
    const restore = await restoreStep(context, this.#restores);
    if (restore) return restore;
    if (!context.status.credentialRef) return createCredential;

    const dnSet = dnSetOf(object, this.#args);
    if (!dnSet) return refuse(context, 'SpecInvalid', 'spec.tn: .spec.tn must be set');
    const live = context.store(LogSet).get(keyOf(object));
    const logSet = logSetOf(object, this.#args, live);
    const log = await context.apply(LogSet, withFinalizer(logSet, FINALIZER_LOGSET, live));
    const liveDn = context.store(DNSet).get(keyOf(object));
    const dn = await context.apply(DNSet, withFinalizer(dnSet, FINALIZER_DNSET, liveDn));
    const groups = await this.#applyGroups(context);
    const proxy = await this.#applyProxy(context);
    await removeOthers(context, CNSet, groups);
    await removeOthers(context, ProxySet, proxy ? [proxy] : []);
    const { webui, failed } = await applyWebUI(context);
    const sets = { log, dn, groups, ...(proxy && { proxy }), ...(webui && { webui }) };
    reportCluster(context, sets, failed !== undefined);
    tellUnsupported(context, this.#metricReader);
    if (failed) throw failed.error;
    return undefined;
  }

  async #applyProxy(context: Context): Promise<ProxySet | undefined> {
    const live = context.store(ProxySet).get(keyOf(context.object));
    const wanted = proxySetOf(context.object, this.#args, live);
    if (!wanted || !this.#proxies) return wanted && context.apply(ProxySet, wanted);
    return context.apply(ProxySet, withFinalizer(wanted, FINALIZER_PROXYSET, live));
  }

  async #applyGroups(context: Context): Promise<readonly CNSet[]> {
    const { object } = context;
    const { namespace = '', name } = object.metadata;
    const groups: CNSet[] = [];
    for (const group of cnGroupsOf(object.spec)) {
      const live = context.store(CNSet).get({ namespace, name: `${name}-${group.name}` });
      const wanted = withFinalizer(cnSetOf(object, group, this.#args, live), FINALIZER_CNSET, live);
      const isElsewhere = isScaledElsewhere(object, group.name);
      const set = await context.apply(CNSet, isElsewhere ? await withoutReplicas(context, wanted, live) : wanted);
      if (!isElsewhere) await takeReplicasBack(context, set);
      groups.push(set);
    }
    return groups;
  }

  /** In the reverse order of coming up, each wave gone before the next: no node outlives what it depends on. */
  async finalize(context: Context): Promise<boolean> {
    if (context.object.metadata.annotations?.[ANNOTATION_SKIP_SYNC]) return true;
    // Nobody may write into the storage any more when it is given up. Without its controller a RestoreJob would not go.
    const restores: readonly Kind[] = this.#restores ? [RestoreJob] : [];
    for (const kind of [...restores, WebUI, CNSet, ProxySet, DNSet, LogSet]) {
      if (!(await removeOthers<KubeObject>(context, kind, []))) return false;
    }
    return true;
  }
}

/** Nothing waits for the dashboard: that it cannot be made, or is somebody else's, is told when the rest has been. */
async function applyWebUI(
  context: Context,
): Promise<{ readonly webui?: WebUI; readonly failed?: { readonly error: unknown } }> {
  const wanted = webUIOf(context.object);
  try {
    const webui = wanted && (await context.apply(WebUI, wanted));
    await removeOthers(context, WebUI, webui ? [webui] : []);
    return webui ? { webui } : {};
  } catch (error) {
    context.signal.throwIfAborted();
    const [webui] = context.owned(WebUI);
    return { ...(webui && { webui }), failed: { error } };
  }
}

/** A set as it is born: with the finalizer of its controller, which saves that a write. Later as it is, as it must not come back when it has gone. */
function withFinalizer<C extends KubeObject>(set: C, finalizer: string, live: C | undefined): C {
  if (live && !hasFinalizer(live, finalizer)) return set;
  return { ...set, metadata: { ...set.metadata, finalizers: [finalizer] } };
}

/** Names the parts of the spec that this operator does not act on: silence would look like success. */
function tellUnsupported({ object, conditions }: Context, metricReader: boolean): void {
  const message = 'this operator does not act on spec.metricReaderEnabled';
  if (metricReader || !object.spec.metricReaderEnabled) conditions.remove('FullySupported');
  else conditions.set('FullySupported', 'False', 'FieldsIgnored', message);
}

/** Whether nothing of the cluster exists yet. */
function isNew({ object, owned }: Context): boolean {
  return object.status?.phase === undefined && owned(LogSet).length === 0;
}

/** New clusters get the newest behaviours, once; later operators leave the field alone. */
const pinOperatorVersion: Action<MatrixOneCluster> = {
  name: 'PinOperatorVersion',
  async run({ client, object, signal }) {
    const { resourceVersion } = object.metadata;
    const body = { metadata: { resourceVersion }, spec: { operatorVersion: initialOperatorVersion(object.spec) } };
    await client.of(MatrixOneCluster).patch(keyOf(object), merge(body), { signal });
  },
};

/** Made unless there is one already. Once the status names it, it is the user's to change or take away. */
const createCredential: Action<MatrixOneCluster> = {
  name: 'CreateCredential',
  async run({ client, object, signal, status }) {
    const { name } = object.metadata;
    if (!(await makeOnce(client, object, credentialOf(object), signal)))
      throw new Resync(`Secret ${credentialName(name)} of the MatrixOneCluster ${name} before has to go first`);
    status.credentialRef = { name: credentialName(name) };
  },
};

/** Deletes the sets of a kind that the spec no longer names. `true` when none is left. */
async function removeOthers<C extends KubeObject>(
  context: Context,
  kind: Kind<C>,
  wanted: readonly C[],
): Promise<boolean> {
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  let gone = true;
  for (const set of context.owned(kind)) {
    if (names.has(set.metadata.name)) continue;
    gone = (await context.ensureGone(kind, keyOf(set))) && gone;
  }
  return gone;
}
