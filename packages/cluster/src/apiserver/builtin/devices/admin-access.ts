import type { DynamicObject } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { StrategyContext } from '../../types.ts';
import { mapAt, objectAt, objectsAt, type ReadJson } from '../shared/draft.ts';
import { forbiddenField } from '../shared/errors.ts';

const label = 'resource.kubernetes.io/admin-access';

const isAdmin = (entry: ReadJson | undefined): boolean => entry?.adminAccess === true;

function refused(object: DynamicObject, field: string, { storage }: StrategyContext): readonly FieldError[] {
  const name = object.metadata.namespace ?? '';
  const namespace = storage.get({ resource: '/namespaces', namespace: '', name });
  if (mapAt(objectAt(namespace as ReadJson | undefined, 'metadata'), 'labels')[label] === 'true') return [];
  const text = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;
  return [forbiddenField(field, text)];
}

/** Only namespaces with a label may ask for devices that others use. */
export function checkAdminRequests(
  object: DynamicObject,
  spec: ReadJson | undefined,
  context: StrategyContext,
): readonly FieldError[] {
  const requests = objectsAt(objectAt(spec, 'devices'), 'requests');
  const index = requests.findIndex((request) => isAdmin(objectAt(request, 'exactly')));
  return index < 0 ? [] : refused(object, `spec.devices.requests[${index}].adminAccess`, context);
}

/** The same of what is allocated; what was granted stays granted. */
export function checkAdminResults(
  object: DynamicObject,
  old: DynamicObject,
  context: StrategyContext,
): readonly FieldError[] {
  const resultsOf = (claim: DynamicObject) =>
    objectsAt(objectAt(objectAt(objectAt(claim, 'status'), 'allocation'), 'devices'), 'results');
  const index = resultsOf(object).findIndex(isAdmin);
  if (index < 0 || resultsOf(old).some(isAdmin)) return [];
  return refused(object, `status.allocation.devices.results[${index}].adminAccess`, context);
}
