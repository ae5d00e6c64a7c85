import type { DynamicObject } from '@coxswain/k8s';
import { objectAt, objectsAt, type ReadJson, textAt } from './shared/draft.ts';

type Selector = (object: DynamicObject) => string;

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

/** A selector by plain path; an absent value is `''`. */
function at(path: string, absent = ''): Selector {
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  return (object) => {
    let parent: ReadJson | undefined = object;
    for (const step of steps) parent = objectAt(parent, step);
    const text = textOf(parent?.[last]);
    return text === '' ? absent : text;
  };
}

function paths(...names: readonly string[]): Record<string, Selector> {
  return Object.fromEntries(names.map((name) => [name, at(name)]));
}

const podIps: Selector = (pod) =>
  objectsAt(objectAt(pod, 'status'), 'podIPs')
    .map((entry) => textAt(entry, 'ip'))
    .join(',');

/** Either form of an event names its source differently; core events keep `source.component`. */
const eventSource: Selector = (event) =>
  textAt(objectAt(event, 'source'), 'component') || textAt(event, 'reportingComponent');

const events: Readonly<Record<string, Selector>> = {
  ...paths(
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'type',
  ),
  source: eventSource,
};

/** The newer form's names, found in either form of the object. */
function regarding(): Record<string, Selector> {
  const names = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
  const either = (first: string, second: string): Selector => {
    const [newer, older] = [at(first), at(second)];
    return (event) => newer(event) || older(event);
  };
  const own = names.map((name): [string, Selector] => [
    `regarding.${name}`,
    either(`regarding.${name}`, `involvedObject.${name}`),
  ]);
  const reporter = either('reportingController', 'reportingComponent');
  return { ...Object.fromEntries(own), reason: at('reason'), reportingController: reporter, type: at('type') };
}

/** Field selectors of built-in kinds beyond name and namespace (`spec/embedded.md` §1.5), on the stored form; by `group/plural`. */
export const selectableFields: Readonly<Record<string, Readonly<Record<string, Selector>>>> = {
  '/pods': {
    ...paths('spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName'),
    ...paths('status.phase', 'status.podIP', 'status.nominatedNodeName'),
    'spec.hostNetwork': at('spec.hostNetwork', 'false'),
    'status.podIPs': podIps,
  },
  '/events': events,
  'events.k8s.io/events': regarding(),
  '/secrets': paths('type'),
  '/services': paths('spec.clusterIP', 'spec.type'),
  '/nodes': { 'spec.unschedulable': at('spec.unschedulable', 'false') },
  '/namespaces': paths('status.phase'),
  '/replicationcontrollers': { 'status.replicas': at('status.replicas', '0') },
  'apps/replicasets': { 'status.replicas': at('status.replicas', '0') },
  'certificates.k8s.io/certificatesigningrequests': paths('spec.signerName'),
  'certificates.k8s.io/clustertrustbundles': paths('spec.signerName'),
  'certificates.k8s.io/podcertificaterequests': paths('spec.signerName', 'spec.podName', 'spec.nodeName'),
  'resource.k8s.io/resourceslices': paths('spec.nodeName', 'spec.driver', 'spec.pool.name'),
  'batch/jobs': { 'status.successful': at('status.succeeded', '0') },
};
