import { compareQuantities, forbidden } from '@coxswain/runtime/core';
import { amountsAt } from '../../usage/index.ts';
import { copyJson, mapAt, objectAt, objectsAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../types.ts';
import { nameIn } from './matching/index.ts';
import { isPodCreation } from './pod-spec.ts';
import { mergeTolerations } from './tolerations.ts';

const mismatch = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const unexplained = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

function refuse(attributes: AdmissionAttributes, why: string): never {
  throw forbidden(attributes.resource, nameIn(attributes), why);
}

/** The class a pod names; `undefined` when it names none. */
function classOf(attributes: AdmissionAttributes, spec: ReadJson): ReadJson | undefined {
  const name = textAt(spec, 'runtimeClassName');
  if (name === '') return undefined;
  const found = attributes.storage.get({ resource: 'node.k8s.io/runtimeclasses', namespace: '', name });
  if (!found) refuse(attributes, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  return found as unknown as ReadJson;
}

/** What a class costs on top of the containers. Absent: nothing is said. */
function overheadOf(runtimeClass: ReadJson | undefined): ReadJson | undefined {
  const overhead = objectAt(runtimeClass, 'overhead');
  return overhead && (objectAt(overhead, 'podFixed') ?? {});
}

function sameOverhead(spec: ReadJson, wanted: ReadJson): boolean {
  const [own, other] = [amountsAt(spec, 'overhead'), amountsAt({ wanted }, 'wanted')];
  if (own.size !== other.size) return false;
  return [...own].every(([name, amount]) => {
    const wantedAmount = other.get(name);
    return wantedAmount !== undefined && compareQuantities(amount, wantedAmount) === 0;
  });
}

function schedule(attributes: AdmissionAttributes, spec: Record<string, unknown>, scheduling: ReadJson): void {
  const own = mapAt(spec, 'nodeSelector');
  const wanted = mapAt(scheduling, 'nodeSelector');
  for (const [key, value] of Object.entries(wanted)) {
    if (own[key] === undefined || own[key] === value) continue;
    const left = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}`;
    refuse(attributes, `conflict: ${left}; pod.spec.nodeSelector[${key}] = ${own[key]}`);
  }
  if (Object.keys(wanted).length > 0) spec.nodeSelector = { ...own, ...wanted };
  const merged = mergeTolerations(objectsAt(spec, 'tolerations'), objectsAt(scheduling, 'tolerations'));
  if (merged.length > 0) spec.tolerations = copyJson(merged);
}

/** Gives a pod the overhead of its runtime class, and sends it to nodes that have the runtime. */
export const runtimeClass: AdmissionPlugin = {
  name: 'RuntimeClass',
  admit(attributes) {
    const spec = isPodCreation(attributes) ? objectAt(attributes.object, 'spec') : undefined;
    if (!spec) return;
    const found = classOf(attributes, spec);
    const overhead = overheadOf(found);
    if (overhead) {
      const given = Object.keys(objectAt(spec, 'overhead') ?? {}).length > 0;
      if (given && !sameOverhead(spec, overhead)) refuse(attributes, mismatch);
      spec.overhead = copyJson(overhead);
    }
    const scheduling = objectAt(found, 'scheduling');
    if (scheduling) schedule(attributes, spec, scheduling);
  },
  validate(attributes) {
    const spec = isPodCreation(attributes) ? objectAt(attributes.object, 'spec') : undefined;
    if (!spec) return;
    const overhead = overheadOf(classOf(attributes, spec));
    if (overhead && !sameOverhead(spec, overhead)) refuse(attributes, mismatch);
    if (!overhead && objectAt(spec, 'overhead')) refuse(attributes, unexplained);
  },
};
