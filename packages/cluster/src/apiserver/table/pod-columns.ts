import type { DynamicObject } from '@coxswain/k8s';
import { listAt, objectAt, objectsAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';
import type { Column } from '../types.ts';
import { age, column, count, name, orNone, specOf, statusOf, wide } from './cells.ts';
import { ageOf } from './human-duration.ts';

/** What the main columns of a pod show. */
interface PodSummary {
  reason: string;
  ready: number;
  total: number;
  restarts: number;
  /** When a container stopped last; `''` when none did. */
  lastRestart: string;
}

function conditionIs(pod: DynamicObject, type: string): boolean {
  return objectsAt(statusOf(pod), 'conditions').some((entry) => entry.type === type && entry.status === 'True');
}

function lastTermination(container: ReadJson): string {
  return textAt(objectAt(objectAt(container, 'lastState'), 'terminated'), 'finishedAt');
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}

function terminatedReason(terminated: ReadJson): string {
  const reason = textAt(terminated, 'reason');
  if (reason !== '') return reason;
  const signal = count(terminated, 'signal');
  return signal === 0 ? `ExitCode:${count(terminated, 'exitCode')}` : `Signal:${signal}`;
}

/** Why an init container holds the pod up; `undefined` when it does not. */
function initReason(container: ReadJson, sidecar: boolean, position: string): string | undefined {
  const state = objectAt(container, 'state');
  const terminated = objectAt(state, 'terminated');
  if (terminated && count(terminated, 'exitCode') === 0) return undefined;
  if (sidecar && container.started === true) return undefined;
  if (terminated) return `Init:${terminatedReason(terminated)}`;
  const waiting = textAt(objectAt(state, 'waiting'), 'reason');
  return waiting !== '' && waiting !== 'PodInitializing' ? `Init:${waiting}` : `Init:${position}`;
}

/** Goes through the init containers up to the one that is not done. Answers what sidecars add to the restarts. */
function readInit(
  pod: DynamicObject,
  summary: PodSummary,
): { restarts: number; lastRestart: string; waiting: boolean } {
  const specs = objectsAt(specOf(pod), 'initContainers');
  const sidecars = new Set(specs.filter((spec) => spec.restartPolicy === 'Always').map((spec) => textAt(spec, 'name')));
  summary.total += sidecars.size;
  const sidecar = { restarts: 0, lastRestart: '', waiting: false };
  const statuses = objectsAt(statusOf(pod), 'initContainerStatuses');
  for (const [i, container] of statuses.entries()) {
    const isSidecar = sidecars.has(textAt(container, 'name'));
    summary.restarts += count(container, 'restartCount');
    summary.lastRestart = later(summary.lastRestart, lastTermination(container));
    if (isSidecar) {
      sidecar.restarts += count(container, 'restartCount');
      sidecar.lastRestart = later(sidecar.lastRestart, lastTermination(container));
    }
    const reason = initReason(container, isSidecar, `${i}/${specs.length}`);
    if (reason === undefined) {
      const done = objectAt(objectAt(container, 'state'), 'terminated') !== undefined;
      if (!done && container.ready === true) summary.ready++;
      continue;
    }
    summary.reason = reason;
    sidecar.waiting = true;
    break;
  }
  return sidecar;
}

/** Goes through the main containers, last one first: the first one's state wins. */
function readContainers(pod: DynamicObject, summary: PodSummary): void {
  let running = false;
  let failure = '';
  for (const container of [...objectsAt(statusOf(pod), 'containerStatuses')].reverse()) {
    summary.restarts += count(container, 'restartCount');
    summary.lastRestart = later(summary.lastRestart, lastTermination(container));
    const state = objectAt(container, 'state');
    const waiting = textAt(objectAt(state, 'waiting'), 'reason');
    const terminated = objectAt(state, 'terminated');
    if (waiting !== '') summary.reason = waiting;
    else if (terminated) {
      summary.reason = terminatedReason(terminated);
      if (count(terminated, 'exitCode') !== 0) failure = summary.reason;
    } else if (container.ready === true && objectAt(state, 'running')) {
      running = true;
      summary.ready++;
    }
  }
  if (summary.reason !== 'Completed') return;
  if (running && conditionIs(pod, 'Ready')) summary.reason = 'Running';
  else if (failure !== '') summary.reason = failure;
  else if (running) summary.reason = 'NotReady';
}

/** Reads a pod's state the way `kubectl get pods` words it. */
function summarize(pod: DynamicObject): PodSummary {
  const status = statusOf(pod);
  const phase = textAt(status, 'phase');
  const summary: PodSummary = {
    reason: textAt(status, 'reason') || phase,
    ready: 0,
    total: objectsAt(specOf(pod), 'containers').length,
    restarts: 0,
    lastRestart: '',
  };
  const gated = objectsAt(status, 'conditions').some(
    (entry) => entry.type === 'PodScheduled' && entry.reason === 'SchedulingGated',
  );
  if (gated) summary.reason = 'SchedulingGated';
  const sidecars = readInit(pod, summary);
  if (!sidecars.waiting || conditionIs(pod, 'Initialized')) {
    summary.restarts = sidecars.restarts;
    summary.lastRestart = sidecars.lastRestart;
    readContainers(pod, summary);
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    if (textAt(status, 'reason') === 'NodeLost') summary.reason = 'Unknown';
    else if (phase !== 'Failed' && phase !== 'Succeeded') summary.reason = 'Terminating';
  }
  return summary;
}

const summaries = new WeakMap<DynamicObject, PodSummary>();

function summaryOf(pod: DynamicObject): PodSummary {
  let summary = summaries.get(pod);
  if (!summary) {
    summary = summarize(pod);
    summaries.set(pod, summary);
  }
  return summary;
}

function restartsText(pod: DynamicObject, now: number): string {
  const { restarts, lastRestart } = summaryOf(pod);
  return restarts === 0 || lastRestart === '' ? String(restarts) : `${restarts} (${ageOf(lastRestart, now)} ago)`;
}

function gatesText(pod: DynamicObject): string {
  const gates = objectsAt(specOf(pod), 'readinessGates');
  if (gates.length === 0) return '<none>';
  const open = gates.filter((gate) => conditionIs(pod, textAt(gate, 'conditionType'))).length;
  return `${open}/${gates.length}`;
}

export const podColumns: readonly Column[] = [
  name,
  column('Ready', (pod) => `${summaryOf(pod).ready}/${summaryOf(pod).total}`),
  column('Status', (pod) => summaryOf(pod).reason),
  column('Restarts', restartsText),
  age,
  wide('IP', (pod) => orNone(textAt(listAt(statusOf(pod), 'podIPs')[0] as ReadJson | undefined, 'ip'))),
  wide('Node', (pod) => orNone(textAt(specOf(pod), 'nodeName'))),
  wide('Nominated Node', (pod) => orNone(textAt(statusOf(pod), 'nominatedNodeName'))),
  wide('Readiness Gates', gatesText),
];
