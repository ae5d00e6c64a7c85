import type { DynamicObject } from '@coxswain/k8s';
import { given, mapAt, objectAt, objectsAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';
import type { Column } from '../types.ts';
import { targetsText } from './autoscaler-targets.ts';
import { age, column, count, name, orNone, specOf, statusOf, wide } from './cells.ts';
import { ageOf } from './human-duration.ts';

const rolePrefix = 'node-role.kubernetes.io/';

function nodeStatus(node: DynamicObject): string {
  const ready = objectsAt(statusOf(node), 'conditions').find((condition) => condition.type === 'Ready');
  const state = ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  return specOf(node).unschedulable === true ? `${state},SchedulingDisabled` : state;
}

function nodeRoles(node: DynamicObject): string {
  const roles = Object.entries(node.metadata.labels ?? {}).map(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length);
    return key === 'kubernetes.io/role' ? value : '';
  });
  return orNone([...new Set(roles.filter((role) => role !== ''))].sort().join(','));
}

function nodeAddress(type: string): (node: DynamicObject) => string {
  return (node) => {
    const found = objectsAt(statusOf(node), 'addresses').find((address) => address.type === type);
    return orNone(textAt(found, 'address'));
  };
}

const nodeInfo = (node: DynamicObject, key: string): string => textAt(objectAt(statusOf(node), 'nodeInfo'), key);
const orUnknown = (text: string): string => (text === '' ? '<unknown>' : text);

function kernelText(node: DynamicObject): string {
  const architecture = nodeInfo(node, 'architecture');
  const kernel = orUnknown(nodeInfo(node, 'kernelVersion'));
  return architecture === '' ? kernel : `${kernel} (${architecture})`;
}

/** Core events and those of the newer group differ in names only. */
function eventPart(event: DynamicObject, core: string, newer: string): unknown {
  return event[core] ?? event[newer];
}

function about(event: DynamicObject): ReadJson | undefined {
  return objectAt(event, 'involvedObject') ?? objectAt(event, 'regarding');
}

function firstSeen(event: DynamicObject, now: number): string {
  const first = eventPart(event, 'firstTimestamp', 'deprecatedFirstTimestamp');
  return ageOf(given(first) ? first : event.eventTime, now);
}

function lastSeen(event: DynamicObject, now: number): string {
  const series = objectAt(event, 'series');
  if (series) return ageOf(series.lastObservedTime, now);
  const last = eventPart(event, 'lastTimestamp', 'deprecatedLastTimestamp');
  return given(last) ? ageOf(last, now) : firstSeen(event, now);
}

function eventTarget(event: DynamicObject): string {
  const target = about(event);
  const kind = textAt(target, 'kind').toLowerCase();
  const targetName = textAt(target, 'name');
  return targetName === '' ? kind : `${kind}/${targetName}`;
}

function eventSource(event: DynamicObject): string {
  const source = objectAt(event, 'source') ?? objectAt(event, 'deprecatedSource');
  const reporter = String(eventPart(event, 'reportingComponent', 'reportingController') ?? '');
  const component = textAt(source, 'component') || reporter;
  const instance = textAt(source, 'host') || textAt(event, 'reportingInstance');
  return instance === '' ? component : `${component}, ${instance}`;
}

function eventCount(event: DynamicObject): number {
  const series = objectAt(event, 'series');
  if (series) return count(series, 'count');
  return Number(eventPart(event, 'count', 'deprecatedCount') ?? 0) || 1;
}

const eventColumns: readonly Column[] = [
  column('Last Seen', lastSeen),
  column('Type', (event) => textAt(event, 'type')),
  column('Reason', (event) => textAt(event, 'reason')),
  column('Object', eventTarget),
  wide('Subobject', (event) => textAt(about(event), 'fieldPath')),
  wide('Source', eventSource),
  column('Message', (event) => String(eventPart(event, 'message', 'note') ?? '').trim()),
  wide('First Seen', firstSeen),
  wide('Count', eventCount),
  { ...name, priority: 1 },
];

function subjectsOf(kind: string): (binding: DynamicObject) => string {
  return (binding) =>
    objectsAt(binding, 'subjects')
      .filter((subject) => subject.kind === kind)
      .map((subject) =>
        kind === 'ServiceAccount'
          ? `${textAt(subject, 'namespace')}/${textAt(subject, 'name')}`
          : textAt(subject, 'name'),
      )
      .join(', ');
}

const bindingColumns: readonly Column[] = [
  name,
  column(
    'Role',
    (binding) => `${textAt(objectAt(binding, 'roleRef'), 'kind')}/${textAt(objectAt(binding, 'roleRef'), 'name')}`,
  ),
  age,
  wide('Users', subjectsOf('User')),
  wide('Groups', subjectsOf('Group')),
  wide('ServiceAccounts', subjectsOf('ServiceAccount')),
];

const mapSize = (object: DynamicObject, key: string): number => Object.keys(objectAt(object, key) ?? {}).length;

function quotaText(quota: DynamicObject, limits: boolean): string {
  const hard = mapAt(statusOf(quota), 'hard');
  const used = mapAt(statusOf(quota), 'used');
  return Object.keys(hard)
    .sort()
    .filter((key) => key.startsWith('limits.') === limits)
    .map((key) => `${key}: ${used[key] ?? '0'}/${hard[key]}`)
    .join(', ');
}

/** Columns of what runs the cluster rather than a workload, by `group/plural`. */
export const clusterTables: Readonly<Record<string, readonly Column[]>> = {
  '/nodes': [
    name,
    column('Status', nodeStatus),
    column('Roles', nodeRoles),
    age,
    column('Version', (node) => nodeInfo(node, 'kubeletVersion')),
    wide('Internal-IP', nodeAddress('InternalIP')),
    wide('External-IP', nodeAddress('ExternalIP')),
    wide('OS-Image', (node) => orUnknown(nodeInfo(node, 'osImage'))),
    wide('Kernel-Version', kernelText),
    wide('Container-Runtime', (node) => orUnknown(nodeInfo(node, 'containerRuntimeVersion'))),
  ],
  '/namespaces': [name, column('Status', (object) => textAt(statusOf(object), 'phase')), age],
  '/secrets': [
    name,
    column('Type', (object) => textAt(object, 'type')),
    column('Data', (object) => mapSize(object, 'data')),
    age,
  ],
  '/configmaps': [name, column('Data', (object) => mapSize(object, 'data') + mapSize(object, 'binaryData')), age],
  '/serviceaccounts': [name, age],
  '/events': eventColumns,
  'events.k8s.io/events': eventColumns,
  '/resourcequotas': [
    name,
    column('Request', (object) => quotaText(object, false)),
    column('Limit', (object) => quotaText(object, true)),
    age,
  ],
  'coordination.k8s.io/leases': [name, column('Holder', (object) => textAt(specOf(object), 'holderIdentity')), age],
  'policy/poddisruptionbudgets': [
    name,
    column('Min Available', (object) => String(specOf(object).minAvailable ?? 'N/A')),
    column('Max Unavailable', (object) => String(specOf(object).maxUnavailable ?? 'N/A')),
    column('Allowed Disruptions', (object) => count(statusOf(object), 'disruptionsAllowed'), 'integer'),
    age,
  ],
  'rbac.authorization.k8s.io/rolebindings': bindingColumns,
  'rbac.authorization.k8s.io/clusterrolebindings': bindingColumns,
  'scheduling.k8s.io/priorityclasses': [
    name,
    column('Value', (object) => count(object, 'value'), 'integer'),
    column('Global-Default', (object) => object.globalDefault === true, 'boolean'),
    age,
    column('PreemptionPolicy', (object) => textAt(object, 'preemptionPolicy')),
  ],
  'node.k8s.io/runtimeclasses': [name, column('Handler', (object) => textAt(object, 'handler')), age],
  'autoscaling/horizontalpodautoscalers': [
    name,
    column('Reference', (object) => {
      const target = objectAt(specOf(object), 'scaleTargetRef');
      return `${textAt(target, 'kind')}/${textAt(target, 'name')}`;
    }),
    column('Targets', targetsText),
    column('MinPods', (object) => String(specOf(object).minReplicas ?? '<unset>')),
    column('MaxPods', (object) => count(specOf(object), 'maxReplicas')),
    column('Replicas', (object) => count(statusOf(object), 'currentReplicas')),
    age,
  ],
};
