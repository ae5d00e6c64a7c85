import type { MutableJson } from '@coxswain/k8s';
import { forbidden } from '@coxswain/runtime/core';
import type { Storage } from '../../storage/types.ts';
import { fill, given, numberAt, objectAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../types.ts';
import { nameIn } from './matching/index.ts';
import { podSpecOf } from './pod-spec.ts';

const storageName = 'scheduling.k8s.io/priorityclasses';

/** The class for pods that name none: of several, the one of least value. */
function defaultClass(storage: Storage): ReadJson | undefined {
  const classes = storage.list(storageName).objects as readonly unknown[] as readonly ReadJson[];
  return classes
    .filter((candidate) => candidate.globalDefault === true)
    .sort((a, b) => (numberAt(a, 'value') ?? 0) - (numberAt(b, 'value') ?? 0))[0];
}

function classOf(attributes: AdmissionAttributes, wanted: string): ReadJson | undefined {
  const { storage, resource } = attributes;
  if (wanted === '') return defaultClass(storage);
  const found = storage.get({ resource: storageName, namespace: '', name: wanted });
  if (!found) throw forbidden(resource, nameIn(attributes), `no PriorityClass with name ${wanted} was found`);
  return found as unknown as ReadJson;
}

/** Priority and policy of a new pod, by its class. @throws ApiError Forbidden when the pod says something else */
function prioritise(attributes: AdmissionAttributes, spec: MutableJson): void {
  const refuse = (what: string, computed: unknown): never => {
    const why = `${what} must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`;
    throw forbidden(attributes.resource, nameIn(attributes), why);
  };
  const found = classOf(attributes, textAt(spec, 'priorityClassName'));
  const value = numberAt(found, 'value') ?? 0;
  if (found) fill(spec, 'priorityClassName', (found.metadata as ReadJson).name);
  const stated = numberAt(spec, 'priority');
  if (stated !== undefined && stated !== value) refuse(`the integer value of priority (${stated})`, value);
  spec.priority = value;
  const policy = textAt(found, 'preemptionPolicy') || 'PreemptLowerPriority';
  const own = textAt(spec, 'preemptionPolicy');
  if (own !== '' && own !== policy) refuse(`the string value of PreemptionPolicy (${own})`, policy);
  fill(spec, 'preemptionPolicy', policy);
}

/** An update that leaves out what was worked out at the creation does not take it away. */
function keep(spec: MutableJson, old: ReadJson | undefined): void {
  const before = objectAt(old, 'spec') ?? {};
  for (const key of ['priority', 'preemptionPolicy']) if (given(before[key])) fill(spec, key, before[key]);
}

/** Turns a pod's priority class into its number and preemption policy; lets one class be the default. */
export const priority: AdmissionPlugin = {
  name: 'Priority',
  admit(attributes) {
    const pod = podSpecOf(attributes, ['CREATE', 'UPDATE']);
    if (!pod) return;
    if (attributes.operation === 'CREATE') prioritise(attributes, pod.spec);
    else keep(pod.spec, attributes.old as ReadJson | undefined);
  },
  validate(attributes) {
    const { operation, resource, subresource, object, storage } = attributes;
    if ((operation !== 'CREATE' && operation !== 'UPDATE') || subresource !== '') return;
    if (resource.group !== 'scheduling.k8s.io' || resource.plural !== 'priorityclasses') return;
    if (object?.globalDefault !== true) return;
    const other = textAt(objectAt(defaultClass(storage), 'metadata'), 'name');
    if (other === '' || (operation === 'UPDATE' && other === attributes.name)) return;
    const why = `PriorityClass ${other} is already marked as default. Only one default can exist`;
    throw forbidden(resource, nameIn(attributes), why);
  },
};
