/** ResourceQuota: charges new objects to the quotas of their namespace, or refuses them. Knows storage and what objects use. */
export { resourceQuota } from './resource-quota.ts';
