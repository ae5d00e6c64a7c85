import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import type { ResourceInfo } from '../types.ts';
import { applyDefaults } from './schema.ts';

const carried: readonly string[] = ['apiVersion', 'kind', 'metadata', 'status'];

/**
 * What a status write of a built-in kind would store: metadata and status of the draft, with their defaults, and everything else as
 * it is stored. Those parts are the stored ones themselves, frozen: nothing that follows has to look into them, or may change them.
 */
export function statusDraft(resource: ResourceInfo, draft: MutableJson, old: DynamicObject): MutableJson {
  const written: MutableJson = {};
  for (const key of carried) if (draft[key] !== undefined) written[key] = draft[key];
  applyDefaults(resource, written);
  const next: MutableJson = {};
  for (const key of carried.slice(0, 3)) next[key] = written[key];
  for (const key of Object.keys(old)) if (!carried.includes(key)) next[key] = old[key];
  if (written.status !== undefined) next.status = written.status;
  return next;
}
