import type { KubeObject } from '@coxswain/k8s';
import { forbidden } from '@coxswain/runtime/core';
import { amountsText, evaluatorFor } from '../../../usage/index.ts';
import { objectAt, type ReadJson } from '../../builtin/shared/draft.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../types.ts';
import { nameIn } from '../matching/index.ts';
import { type Charge, chargesFor } from './charges.ts';

const storageName = '/resourcequotas';

const endsByItself = (object: ReadJson | undefined) => objectAt(object, 'spec')?.activeDeadlineSeconds !== undefined;

/** Writes that can change what a namespace uses. */
function isCharged({ resource, subresource, operation, object, old }: AdmissionAttributes): boolean {
  if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
  const isCore = resource.group === '';
  if (isCore && resource.plural === 'pods') {
    if (subresource === 'resize') return operation === 'UPDATE';
    if (subresource !== '') return false;
    return operation === 'CREATE' || endsByItself(object) !== endsByItself(old as ReadJson | undefined);
  }
  if (isCore && resource.plural === 'persistentvolumeclaims') return subresource === '' || subresource === 'status';
  if (subresource !== '') return false;
  return operation === 'CREATE' || (isCore && resource.plural === 'services');
}

const isIgnored = ({ resource, namespace }: AdmissionAttributes): boolean =>
  namespace === '' || !resource.namespaced || resource.answer !== undefined || resource.plural === 'events';

function store({ storage, namespace }: AdmissionAttributes, { quota, used }: Charge): void {
  const { name } = (quota as unknown as KubeObject).metadata;
  const status = { ...objectAt(quota, 'status'), used: amountsText(used) };
  storage.put({ resource: storageName, namespace, name }, { ...quota, status } as unknown as KubeObject);
}

/**
 * The last link: what it charges is what will be stored. All quotas are looked at before one is charged. Nothing waits, so
 * without webhooks the charge and the write are one step; what a write charges and then fails to use, the quota controller gives back.
 */
export const resourceQuota: AdmissionPlugin = {
  name: 'ResourceQuota',
  validate(attributes) {
    const { resource, storage, namespace, dryRun, object } = attributes;
    if (!object || isIgnored(attributes) || !isCharged(attributes)) return;
    const quotas = storage.list(storageName, { namespace }).objects as readonly unknown[] as readonly ReadJson[];
    if (quotas.length === 0) return;
    const charges = chargesFor(quotas, evaluatorFor(resource.group, resource.plural), attributes);
    if (typeof charges === 'string') throw forbidden(resource, nameIn(attributes), charges);
    if (!dryRun) for (const charge of charges) store(attributes, charge);
  },
};
