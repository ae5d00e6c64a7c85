import { ConfigMap, Deployment, Pod, Service } from '@coxswain/k8s';
import { type Action, type Actor, type ActorContext, Resync } from '@coxswain/runtime/actor';
import { strategic } from '@coxswain/runtime/client';
import { controllerOf } from '@coxswain/runtime/controller';
import { formatTime, ignoreNotFound, keyOf } from '@coxswain/runtime/core';
import { type WebUI, type WebUISpec, webUINames } from '../api/index.ts';
import {
  applyChild,
  ensureWorkloadGone,
  podsOf,
  refuseProblems,
  removeOldConfigs,
  reportTrouble,
  tooFew,
  updateStores,
  watchTrouble,
} from '../controllers/index.ts';
import { webUIProblems } from '../validation/index.ts';
import { planWebUI, WEBUI_GATE } from './plan.ts';

type Context = ActorContext<WebUI>;

/** Milliseconds between looks while the rollout goes on; changes of its objects wake the controller before. */
const lookAgain = 10_000;

const dashboards = { one: 'dashboard', many: 'dashboards' };

/** The life of a dashboard (`spec/matrixone.md` §2.15): a Deployment, its service, and its configuration. */
export class WebUIActor implements Actor<WebUI> {
  async observe(context: Context): Promise<Action<WebUI> | undefined> {
    const { object } = context;
    const spec: WebUISpec = object.spec ?? { replicas: 0, serviceType: 'ClusterIP' };
    refuseProblems(context, webUIProblems(object));
    const plan = planWebUI(object, spec);
    await applyChild(context, Service, plan.service);
    await applyChild(context, ConfigMap, plan.configMap);
    const workload = await applyChild(context, Deployment, plan.workload);
    await openGates(context);
    const ready = report(context, spec, workload);
    const trouble = await reportTrouble(context, 'WebUI', workload);
    const waits = pending(workload, spec, ready);
    if (waits !== undefined) throw new Resync(waits, lookAgain);
    if (trouble.message !== undefined) watchTrouble(context, trouble.message);
    const { config } = webUINames(object.metadata.name);
    await removeOldConfigs(context, config, new Set([plan.configMap.metadata.name]), podsOf(context, 'WebUI'));
    return undefined;
  }

  async finalize(context: Context): Promise<boolean> {
    const { namespace = '', name } = context.object.metadata;
    const { workload, service } = webUINames(name);
    // Pods that somebody has made by hand with these labels are his.
    const pods = () => podsOf(context, 'WebUI').filter(controllerOf);
    const gone = [
      await ensureWorkloadGone(context, Deployment, { namespace, name: workload }, pods()),
      await context.ensureGone(Service, { namespace, name: service }),
    ];
    return gone.every(Boolean) && pods().length === 0;
  }
}

/** Nothing of a dashboard is updated in place, so what its pods' readiness waits for is always so. */
async function openGates(context: Context): Promise<void> {
  const { client, clock, signal } = context;
  for (const pod of podsOf(context, 'WebUI')) {
    const gated = pod.spec?.readinessGates?.some(({ conditionType }) => conditionType === WEBUI_GATE);
    const open = pod.status?.conditions?.some(({ type, status }) => type === WEBUI_GATE && status === 'True');
    if (!gated || open || pod.metadata.deletionTimestamp) continue;
    const condition = { type: WEBUI_GATE, status: 'True', lastTransitionTime: formatTime(clock.now()) };
    const body = strategic({ status: { conditions: [condition] } });
    // One that is gone needs no gate.
    await ignoreNotFound(client.of(Pod).patch(keyOf(pod), body, { subresource: 'status', signal }));
  }
}

/** Writes what is seen of the pods into the status. @returns how many are up */
function report(context: Context, spec: WebUISpec, workload: Deployment): number {
  const { conditions } = context;
  // A pod that has ended stays as long as nobody deletes it, while another one has taken its place.
  const pods = podsOf(context, 'WebUI').filter(
    ({ status }) => status?.phase !== 'Failed' && status?.phase !== 'Succeeded',
  );
  const { availableStores } = updateStores(context, pods, workload);
  if (availableStores.length >= spec.replicas)
    conditions.set('Ready', 'True', 'AllPodsReady', 'all dashboards are ready');
  else conditions.set('Ready', 'False', 'NoEnoughReadyStores', tooFew(spec.replicas, dashboards, 'ready'));
  return availableStores.length;
}

/** What is still to come before all pods are new and ready; `undefined` when nothing is. */
function pending(workload: Deployment, spec: WebUISpec, ready: number): string | undefined {
  const { metadata, status = {} } = workload;
  const observed = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  const onlyNew = (status.updatedReplicas ?? 0) >= spec.replicas && (status.replicas ?? 0) <= spec.replicas;
  if (observed && onlyNew && ready >= spec.replicas) return undefined;
  return `Deployment ${metadata.name} is being rolled out`;
}
