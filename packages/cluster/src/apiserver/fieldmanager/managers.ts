import type { ManagedFieldsEntry } from '@coxswain/k8s';
import { isTree } from '../patch/index.ts';
import { emptySet, type FieldSet } from './field-set.ts';
import { decodeFields, encodeFields } from './fields-v1.ts';

/** One manager's claim. */
export interface Claim {
  readonly set: FieldSet;
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time?: string;
  /** The entry as stored, while nothing of it has changed. */
  readonly entry?: ManagedFieldsEntry;
}

/** Claims by identity: manager, operation, subresource and, for updates, version. */
export type Claims = Map<string, Claim>;

/** The identity, as text that sorts as on the real server. */
export function claimId(claim: Pick<Claim, 'manager' | 'operation' | 'apiVersion' | 'subresource'>): string {
  return JSON.stringify({
    manager: claim.manager || undefined,
    operation: claim.operation,
    apiVersion: claim.operation === 'Apply' ? undefined : claim.apiVersion || undefined,
    subresource: claim.subresource || undefined,
  });
}

/** Reads `metadata.managedFields`. @throws Error when an entry is malformed */
export function decodeClaims(entries: unknown): Claims {
  const claims: Claims = new Map();
  if (entries === undefined || entries === null) return claims;
  if (!Array.isArray(entries)) throw new Error('managedFields is not a list');
  entries.forEach((entry: unknown, i) => {
    const claim = decodeClaim(entry, i);
    claims.set(claimId(claim), claim);
  });
  return claims;
}

function decodeClaim(given: unknown, index: number): Claim {
  if (!isTree(given)) throw new Error(`managed fields entry ${index} is not an object`);
  const entry = given as ManagedFieldsEntry;
  const { operation, fieldsType } = entry;
  if (operation !== 'Apply' && operation !== 'Update') throw new Error('operation must be `Apply` or `Update`');
  if (typeof entry.apiVersion !== 'string' || entry.apiVersion === '') throw new Error('apiVersion must not be empty');
  if (fieldsType === undefined || fieldsType === '') {
    throw new Error(`missing fieldsType in managed fields entry ${index}`);
  }
  if (fieldsType !== 'FieldsV1') {
    throw new Error(`invalid fieldsType "${fieldsType}" in managed fields entry ${index}`);
  }
  return {
    set: decodeFields(entry.fieldsV1),
    manager: textOf(entry.manager),
    operation,
    apiVersion: entry.apiVersion,
    subresource: textOf(entry.subresource),
    ...(typeof entry.time === 'string' ? { time: entry.time } : {}),
    entry,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Writes the claims in the order of the real server; claims that did not change keep their entry. */
export function encodeClaims(claims: Claims): readonly ManagedFieldsEntry[] {
  const sorted = [...claims.values()].sort(
    (a, b) =>
      compareText(a.operation, b.operation) ||
      seconds(a.time) - seconds(b.time) ||
      compareText(a.manager, b.manager) ||
      compareText(a.apiVersion, b.apiVersion) ||
      compareText(a.subresource, b.subresource),
  );
  return sorted.map((claim) => claim.entry ?? encodeClaim(claim));
}

function encodeClaim(claim: Claim): ManagedFieldsEntry {
  return Object.freeze({
    ...(claim.manager === '' ? {} : { manager: claim.manager }),
    operation: claim.operation,
    apiVersion: claim.apiVersion,
    ...(claim.time === undefined ? {} : { time: claim.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: encodeFields(claim.set),
    ...(claim.subresource === '' ? {} : { subresource: claim.subresource }),
  });
}

/** The claim over another set; the same claim when the set is the same. */
export function withSet(claim: Claim, set: FieldSet): Claim {
  if (claim.set === set) return claim;
  const { entry: _, ...rest } = claim;
  return { ...rest, set };
}

/** RFC 3339 to whole seconds; 0 when absent or unreadable. */
export function seconds(time: string | undefined): number {
  const millis = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(millis) ? 0 : Math.floor(millis / 1000);
}

export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** A claim to nothing, for a manager that acts now. */
export function newClaim(
  who: { manager: string; apiVersion: string; subresource: string },
  operation: Claim['operation'],
): Claim {
  const { manager, apiVersion, subresource } = who;
  return { manager: manager || 'unknown', apiVersion, subresource, operation, set: emptySet };
}
