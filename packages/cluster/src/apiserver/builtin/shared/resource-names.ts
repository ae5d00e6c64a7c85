import type { FieldError } from '@coxswain/schema';
import { invalidValue } from './errors.ts';
import { qualifiedName } from './names.ts';

const set = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));

const compute = 'cpu memory ephemeral-storage';
const counted =
  'pods resourcequotas services replicationcontrollers secrets configmaps persistentvolumeclaims services.nodeports services.loadbalancers';
const bounded =
  'requests.cpu requests.memory requests.ephemeral-storage limits.cpu limits.memory limits.ephemeral-storage requests.storage';

const containerResources = set(compute);
const quotaResources = set(`${compute} ${counted} ${bounded}`);
const standardResources = set(`${compute} ${counted} ${bounded} storage`);
const integerResources = set(counted);

export const isHugePages = (name: string): boolean => name.startsWith('hugepages-');
export const isStandardContainerResource = (name: string): boolean => containerResources.has(name) || isHugePages(name);
export const isStandardQuotaResource = (name: string): boolean =>
  quotaResources.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-');
export const isStandardResource = (name: string): boolean =>
  standardResources.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-');

/** Whether a resource is Kubernetes' own: without a domain, or with one of Kubernetes. */
export const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

/** Whether a resource is one that a device plug-in may offer. */
export function isExtended(name: string): boolean {
  if (isNative(name) || name.startsWith('requests.')) return false;
  return qualifiedName(`requests.${name}`).length === 0;
}

/** Whether only whole numbers of it exist. */
export const isInteger = (name: string): boolean => integerResources.has(name) || isExtended(name);

/** Whether requests may be below limits: not for huge pages and devices. */
export const isOvercommittable = (name: string): boolean => isNative(name) && !isHugePages(name);

/** What any name of a resource must keep. */
export function validateResourceName(name: string, field: string): readonly FieldError[] {
  const errors = qualifiedName(name).map((text) => invalidValue(field, name, text));
  if (errors.length > 0 || name.includes('/') || isStandardResource(name)) return errors;
  return [invalidValue(field, name, 'must be a standard resource type or fully qualified')];
}
