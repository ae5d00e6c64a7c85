import type { Condition, DynamicObject, KubeObject } from '@coxswain/k8s';
import { setCondition } from '@coxswain/runtime/apply';
import {
  apiError,
  badRequest,
  conflict,
  forbidden,
  formatTime,
  type LabelSelectorLike,
  matchesLabels,
  type ResourceRef,
  SelectorError,
  selectorFromField,
} from '@coxswain/runtime/core';
import { isObject, textOf } from '../rest/clone.ts';
import type { StrategyContext, SubresourceHandler } from '../types.ts';
import { setPodCondition } from './conditions.ts';

const budgets = 'policy/poddisruptionbudgets';
/** Condition of a budget. */
const condition = 'DisruptionAllowed';
/** Evictions that may be under way at the same time. */
const mostDisrupted = 2000;

interface Budget extends KubeObject {
  readonly spec?: { readonly selector?: LabelSelectorLike; readonly unhealthyPodEvictionPolicy?: string };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
    readonly disruptedPods?: Readonly<Record<string, string>>;
    readonly conditions?: readonly Condition[];
  };
}

interface PodLike {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

function selects(budget: Budget, pod: DynamicObject): boolean {
  try {
    return matchesLabels(selectorFromField(budget.spec?.selector), pod.metadata.labels);
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

function budgetsOf(pod: DynamicObject, { storage }: StrategyContext): readonly Budget[] {
  const page = storage.list(budgets, { namespace: pod.metadata.namespace ?? '' });
  return (page.objects as readonly Budget[]).filter((budget) => selects(budget, pod));
}

/** Pods that no budget counts: finished, not started, or on their way out. */
function isFree(pod: DynamicObject): boolean {
  const phase = (pod as PodLike).status?.phase ?? '';
  return ['Succeeded', 'Failed', 'Pending'].includes(phase) || pod.metadata.deletionTimestamp !== undefined;
}

function isReady(pod: DynamicObject): boolean {
  return (
    (pod as PodLike).status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
  );
}

/** Why a budget has nothing left, as its status tells. */
function reasonOf({ metadata: { name }, status = {} }: Budget): string {
  const { currentHealthy = 0, desiredHealthy = 0, conditions = [] } = status;
  const closed = conditions.find(({ type, status: is, message }) => type === condition && is === 'False' && message);
  const refused = `The disruption budget ${name} does not allow evicting pods currently`;
  // the numbers are from before, when they could not be counted
  if (closed?.reason === 'SyncFailed') return `${refused} because it failed sync: ${closed.message}`;
  if (currentHealthy <= desiredHealthy)
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  return closed ? `${refused} (${closed.reason}): ${closed.message}` : refused;
}

function blocked(budget: Budget): Error {
  return apiError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: 'DisruptionBudget', message: reasonOf(budget) }],
  });
}

/** A status that the controller would not write. */
function unusable(budget: Budget, why: string, detail: string): Error {
  const message = `The disruption budget ${budget.metadata.name} does not allow evicting pods currently: ${detail}`;
  const resource = { group: 'policy', plural: 'poddisruptionbudget' };
  return forbidden(resource, budget.metadata.name, why, [{ reason: 'DisruptionBudget', message }]);
}

function stillProcessing(budget: Budget): Error {
  const message = `The disruption budget ${budget.metadata.name} is still being processed by the server.`;
  return apiError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: 'DisruptionBudget', message }],
    retryAfterSeconds: 10,
  });
}

/** The status with the condition that nothing is left. */
function closedBy<T extends NonNullable<Budget['status']>>(status: T, now: number): T {
  const verdict = {
    type: condition,
    status: 'False',
    reason: 'InsufficientPods',
    ...(status.observedGeneration === undefined ? {} : { observedGeneration: status.observedGeneration }),
  } as const;
  return { ...status, conditions: setCondition(status.conditions, verdict, now) };
}

/** Takes one disruption from the budget of a pod. @throws ApiError TooManyRequests when it has none left */
function spend(pod: DynamicObject, context: StrategyContext, dryRun: boolean): void {
  const [budget, second] = budgetsOf(pod, context);
  if (!budget) return;
  if (second) {
    throw apiError(
      500,
      '',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  const status = budget.status ?? {};
  const { currentHealthy = 0, desiredHealthy = 0, disruptionsAllowed = 0 } = status;
  if (!isReady(pod)) {
    if (budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return;
    if (currentHealthy >= desiredHealthy && desiredHealthy > 0) return;
  }
  if ((status.observedGeneration ?? 0) < (budget.metadata.generation ?? 0)) throw stillProcessing(budget);
  if (disruptionsAllowed < 0)
    throw unusable(budget, 'pdb disruptions allowed is negative', 'pdb disruptions allowed is negative');
  if (Object.keys(status.disruptedPods ?? {}).length > mostDisrupted) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw unusable(budget, why, 'too many pending evictions not confirmed by PDB controller');
  }
  if (disruptionsAllowed === 0) throw blocked(budget);
  if (dryRun) return;
  const { namespace = '', name } = budget.metadata;
  const disruptedPods = { ...status.disruptedPods, [pod.metadata.name]: formatTime(context.clock.now()) };
  const spent = { ...status, disruptionsAllowed: disruptionsAllowed - 1, disruptedPods };
  const next = { ...budget, status: disruptionsAllowed > 1 ? spent : closedBy(spent, context.clock.now()) };
  context.storage.put({ resource: budgets, namespace, name }, next);
}

/** `pods/eviction`: a delete that asks the pod's disruption budget first. */
export const eviction: SubresourceHandler = {
  resource: '/pods',
  name: 'eviction',
  verbs: ['create'],
  async handle({ request, resource, name, operations, context }) {
    const { body } = request;
    if (!isObject(body)) throw badRequest('not a Eviction object: the body must be a JSON object');
    const metadata = isObject(body.metadata) ? body.metadata : {};
    if (metadata.name !== name) throw badRequest('name in URL does not match name in Eviction object');
    const options = isObject(body.deleteOptions) ? body.deleteOptions : {};
    const dryRun = context.dryRun || (Array.isArray(options.dryRun) && options.dryRun.length > 0);
    const pod = operations.get();
    checkPreconditions(resource, pod, options.preconditions);
    if (!isFree(pod)) spend(pod, context, dryRun);
    if (!dryRun) await operations.amend((draft) => disrupted(draft, formatTime(context.clock.now())));
    const { preconditions: _checked, ...rest } = options;
    const preconditions = { uid: pod.metadata.uid };
    await operations.remove({ ...rest, preconditions, ...(dryRun ? { dryRun: ['All'] } : {}) });
    return {
      kind: 'object',
      code: 201,
      body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
    };
  },
};

function checkPreconditions(resource: ResourceRef, pod: DynamicObject, preconditions: unknown): void {
  const { uid, resourceVersion } = isObject(preconditions) ? preconditions : {};
  const { name, uid: actual, resourceVersion: version } = pod.metadata;
  if (uid && uid !== actual) {
    const why = `the UID in the precondition (${textOf(uid)}) does not match the UID in record (${actual}). The object might have been deleted and then recreated`;
    throw conflict(resource, name, why);
  }
  if (resourceVersion && resourceVersion !== version) {
    const why = `the ResourceVersion in the precondition (${textOf(resourceVersion)}) does not match the ResourceVersion in record (${version}). The object might have been modified`;
    throw conflict(resource, name, why);
  }
}

function disrupted(draft: Parameters<typeof setPodCondition>[0], time: string): void {
  const message = 'Eviction API: evicting';
  setPodCondition(draft, { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message }, time);
}
