import {
  ConfigMap,
  Deployment,
  type DynamicObject,
  Job,
  type Kind,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  Secret,
  Service,
} from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { deepEqual } from '@coxswain/runtime/core';
import { resources } from '../api/index.ts';
import { FaultWorld } from './test-fault-world.ts';
import { type FaultPlan, peace } from './test-faults.ts';
import type { Life } from './test-steps.ts';

/** What there is, without what differs from run to run. */
export type State = Readonly<Record<string, readonly string[]>>;

/** What a life comes to, before its last step and at its end, and how many writes it takes. */
export interface Course {
  readonly states: readonly State[];
  readonly writes: number;
}

/** Of these what they say counts, of the rest that they are there, and how often. */
const telling: readonly Kind[] = [
  ...resources,
  KruiseStatefulSet,
  CloneSet,
  Deployment,
  ConfigMap,
  Service,
  PodDisruptionBudget,
];
const counted: readonly Kind[] = [Pod, PersistentVolumeClaim, Secret, Job];

/** Seconds for a step while there are faults, and when there are none any more. */
const patience = 900;

const generated = /\b(?=[a-z0-9]*)([bcdfghjklmnpqrstvwxz2456789]{5})\b/g;

/** UIDs, generated names, addresses and times are told alike. */
function anonymous(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/\b\d+\.\d+\.\d+\.\d+\b/g, 'IP')
    .replace(generated, 'NAME');
}

async function stateOf(world: FaultWorld): Promise<State> {
  const state: Record<string, readonly string[]> = {};
  for (const kind of [...telling, ...counted]) Object.assign(state, await stateOfKind(world, kind));
  return state;
}

async function stateOfKind(world: FaultWorld, kind: Kind): Promise<State> {
  const state: Record<string, readonly string[]> = {};
  for (const object of (await world.client.of(kind).list()).items) {
    const { name, namespace } = object.metadata;
    if (name === 'kube-root-ca.crt' || name === 'kubernetes' || namespace?.startsWith('kube-')) continue;
    const told = `${kind.kind} ${anonymous(name)}`;
    state[told] = [...(state[told] ?? []), telling.includes(kind) ? said(object as DynamicObject) : '.'].sort();
  }
  return state;
}

/** Answers whether the state is the one that is expected. The kind that differed at the last look comes first at the next, as it mostly still does. */
function stateWatch(world: FaultWorld, expected: State): () => Promise<boolean> {
  let order = [...telling, ...counted];
  return async () => {
    for (const kind of order) {
      const wanted = Object.entries(expected).filter(([told]) => told.startsWith(`${kind.kind} `));
      if (deepEqual(await stateOfKind(world, kind), Object.fromEntries(wanted))) continue;
      order = [kind, ...order.filter((other) => other !== kind)];
      return false;
    }
    return true;
  };
}

/** The fields of an object in one order, whoever wrote them first. */
function inOrder(_: string, value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
}

/** The spec, the data, the conditions and the phase of an object, as text. */
function said({ spec, data, metadata, status }: DynamicObject): string {
  const { conditions, phase, state } = (status ?? {}) as {
    conditions?: readonly { type: string; status: string; reason?: string }[];
    phase?: unknown;
    state?: unknown;
  };
  const found = conditions?.map(({ type, status: value, reason }) => `${type} ${value} ${reason}`).sort();
  const { deletionTimestamp } = metadata;
  const finalizers = metadata.finalizers?.toSorted();
  return anonymous(JSON.stringify({ spec, data, finalizers, deletionTimestamp, phase, state, found }, inOrder));
}

/** @throws Error when a state is not reached, InvariantError when an invariant breaks */
async function live(life: Life, plan: FaultPlan, expected?: Course): Promise<Course> {
  await using world = await FaultWorld.start(plan);
  await world.startOperators();
  const last = life.steps.length - 1;
  const states: State[] = [];
  for (const [i, step] of life.steps.entries()) {
    await step.run(world);
    const hasTime = step.first || i >= last - 1 || world.random.next() >= plan.haste;
    if (!hasTime) {
      await world.advance(world.random.next() * 20_000);
      continue;
    }
    if (!(await world.until(() => step.reached(world), patience))) {
      world.calm();
      if (!(await world.until(() => step.reached(world), patience)))
        throw new Error(
          `"${step.name}" comes to no end: ${JSON.stringify(await world.drive(stateOf(world)), undefined, 1)}`,
        );
    }
    if (i >= last - 1) states.push(await settledState(world, i === last, expected?.states[i - last + 1]));
  }
  const { writes } = world;
  return { states, writes };
}

/** The state when nothing changes any more; at the end without faults, before it with those that are still to come. */
async function settledState(world: FaultWorld, isEnd: boolean, expected: State | undefined): Promise<State> {
  if (isEnd) world.calm();
  if (expected) await world.until(stateWatch(world, expected), patience);
  if (!expected || isEnd) await world.advance(120_000);
  return world.drive(stateOf(world));
}

/** The life without faults. */
export const undisturbed = (life: Life): Promise<Course> => live(life, peace);

/** The differences between what a life comes to with the faults of a plan and without any; none is as it shall be. */
export async function differences(life: Life, plan: FaultPlan, expected: Course): Promise<readonly string[]> {
  const { states } = await live(life, plan, expected);
  return states.flatMap((state, i) => {
    const wanted = expected.states[i] ?? {};
    const names = [...new Set([...Object.keys(state), ...Object.keys(wanted)])].filter(
      (name) => !deepEqual(state[name], wanted[name]),
    );
    return names.map((name) => `${name}: ${JSON.stringify(state[name])} instead of ${JSON.stringify(wanted[name])}`);
  });
}
