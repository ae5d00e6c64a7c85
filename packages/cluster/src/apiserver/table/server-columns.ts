import type { DynamicObject } from '@coxswain/k8s';
import { mapAt, numberAt, objectAt, objectsAt, textAt } from '../builtin/shared/draft.ts';
import type { Column } from '../types.ts';
import { age, column, labelsText, name, orNone, specOf, statusOf } from './cells.ts';
import { humanDuration } from './human-duration.ts';

const conditionTypes = (object: DynamicObject): readonly string[] =>
  objectsAt(statusOf(object), 'conditions').map((condition) => textAt(condition, 'type'));

function requestState(request: DynamicObject): string {
  const types = conditionTypes(request);
  const decided = types.includes('Denied') ? 'Denied' : types.includes('Approved') ? 'Approved' : 'Pending';
  const failed = types.includes('Failed') ? ',Failed' : '';
  return `${decided}${failed}${textAt(statusOf(request), 'certificate') === '' ? '' : ',Issued'}`;
}

function requestedDuration(request: DynamicObject): string {
  const seconds = numberAt(specOf(request), 'expirationSeconds');
  return seconds === undefined ? '<none>' : humanDuration(seconds * 1000);
}

const outcomeOf = (request: DynamicObject): string =>
  conditionTypes(request).findLast((type) => ['Issued', 'Denied', 'Failed'].includes(type)) ?? 'Pending';

const limitedOf = (level: DynamicObject) => objectAt(specOf(level), 'limited');
const queuing = (key: string) => (level: DynamicObject) =>
  numberAt(objectAt(objectAt(limitedOf(level), 'limitResponse'), 'queuing'), key) ?? '<none>';

function migrationState(migration: DynamicObject): string {
  const states = objectsAt(statusOf(migration), 'conditions')
    .filter(({ status }) => status === 'True')
    .map((condition) => textAt(condition, 'type'));
  return states.findLast((type) => ['Running', 'Failed', 'Succeeded'].includes(type)) ?? 'Unknown';
}

function migratedResource(migration: DynamicObject): string {
  const resource = objectAt(specOf(migration), 'resource');
  const group = textAt(resource, 'group');
  return `${textAt(resource, 'resource')}${group === '' ? '' : `.${group}`}`;
}

function healthOf(component: DynamicObject) {
  return objectsAt(component, 'conditions').find((condition) => condition.type === 'Healthy');
}

function availability(service: DynamicObject): string {
  const condition = objectsAt(statusOf(service), 'conditions').find(({ type }) => type === 'Available');
  if (!condition) return 'Unknown';
  const [status, reason] = [textAt(condition, 'status'), textAt(condition, 'reason')];
  return status === 'True' || reason === '' ? status : `${status} (${reason})`;
}

/** Columns of certificates, of the server's own configuration and of its parts, by `group/plural`. */
export const serverTables: Readonly<Record<string, readonly Column[]>> = {
  '/componentstatuses': [
    name,
    column('Status', (one) => {
      const health = healthOf(one);
      return health ? (health.status === 'True' ? 'Healthy' : 'Unhealthy') : 'Unknown';
    }),
    column('Message', (one) => textAt(healthOf(one), 'message')),
    column('Error', (one) => textAt(healthOf(one), 'error')),
  ],
  'apiregistration.k8s.io/apiservices': [
    name,
    column('Service', (one) => {
      const service = objectAt(specOf(one), 'service');
      return service ? `${textAt(service, 'namespace')}/${textAt(service, 'name')}` : 'Local';
    }),
    column('Available', availability),
    age,
  ],
  'certificates.k8s.io/certificatesigningrequests': [
    name,
    age,
    column('SignerName', (one) => orNone(textAt(specOf(one), 'signerName'))),
    column('Requestor', (one) => textAt(specOf(one), 'username')),
    column('RequestedDuration', requestedDuration),
    column('Condition', requestState),
  ],
  'certificates.k8s.io/clustertrustbundles': [
    name,
    column('SignerName', (one) => orNone(textAt(specOf(one), 'signerName'))),
  ],
  'certificates.k8s.io/podcertificaterequests': [
    name,
    column('PodName', (one) => textAt(specOf(one), 'podName')),
    column('ServiceAccountName', (one) => textAt(specOf(one), 'serviceAccountName')),
    column('NodeName', (one) => textAt(specOf(one), 'nodeName')),
    column('SignerName', (one) => textAt(specOf(one), 'signerName')),
    column('State', outcomeOf),
    column('UnverifiedUserAnnotations', (one) => labelsText(mapAt(specOf(one), 'unverifiedUserAnnotations'))),
  ],
  'flowcontrol.apiserver.k8s.io/flowschemas': [
    name,
    column('PriorityLevel', (one) => textAt(objectAt(specOf(one), 'priorityLevelConfiguration'), 'name')),
    column('MatchingPrecedence', (one) => numberAt(specOf(one), 'matchingPrecedence') ?? 0),
    column('DistinguisherMethod', (one) => orNone(textAt(objectAt(specOf(one), 'distinguisherMethod'), 'type'))),
    age,
    column('MissingPL', (one) => {
      const dangling = objectsAt(statusOf(one), 'conditions').find(({ type }) => type === 'Dangling');
      return dangling ? textAt(dangling, 'status') : '?';
    }),
  ],
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': [
    name,
    column('Type', (one) => textAt(specOf(one), 'type')),
    column('NominalConcurrencyShares', (one) => numberAt(limitedOf(one), 'nominalConcurrencyShares') ?? '<none>'),
    column('Queues', queuing('queues')),
    column('HandSize', queuing('handSize')),
    column('QueueLengthLimit', queuing('queueLengthLimit')),
    age,
  ],
  'storagemigration.k8s.io/storageversionmigrations': [
    { name: 'Name', type: 'string', value: ({ metadata }) => metadata.name },
    column('Resource', migratedResource),
    column('Status', migrationState),
  ],
};
