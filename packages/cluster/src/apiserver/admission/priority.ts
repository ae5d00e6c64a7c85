import { forbidden } from '@coxswain/runtime/core';
import type { Storage } from '../../storage/types.ts';
import { fill, numberAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../types.ts';
import { podSpecOf } from './pod-spec.ts';

const storageName = 'scheduling.k8s.io/priorityclasses';

/** The class for pods that name none: of several, the one of least value. */
function defaultClass(storage: Storage): ReadJson | undefined {
  const classes = storage.list(storageName).objects as readonly unknown[] as readonly ReadJson[];
  return classes
    .filter((candidate) => candidate.globalDefault === true)
    .sort((a, b) => (numberAt(a, 'value') ?? 0) - (numberAt(b, 'value') ?? 0))[0];
}

function classOf({ storage, resource, name }: AdmissionAttributes, wanted: string): ReadJson | undefined {
  if (wanted === '') return defaultClass(storage);
  const found = storage.get({ resource: storageName, namespace: '', name: wanted });
  if (!found) throw forbidden(resource, name, `no PriorityClass with name ${wanted} was found`);
  return found as unknown as ReadJson;
}

/** Turns a pod's priority class into its number and preemption policy. */
export const priority: AdmissionPlugin = {
  name: 'Priority',
  admit(attributes) {
    const pod = podSpecOf(attributes);
    if (!pod) return;
    const { spec } = pod;
    const found = classOf(attributes, textAt(spec, 'priorityClassName'));
    const value = numberAt(found, 'value') ?? 0;
    if (found) fill(spec, 'priorityClassName', (found.metadata as ReadJson).name);
    const given = numberAt(spec, 'priority');
    if (given !== undefined && given !== value) {
      const why = `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`;
      throw forbidden(attributes.resource, attributes.name, why);
    }
    spec.priority = value;
    fill(spec, 'preemptionPolicy', textAt(found, 'preemptionPolicy') || 'PreemptLowerPriority');
  },
};
