import { type ApiError, apiError } from '@coxswain/runtime/core';
import { isTree, own, type Tree } from '../patch/index.ts';
import { type FieldSet, pathsOf } from './field-set.ts';
import { type Claim, type Claims, compareText } from './managers.ts';
import type { TypeMismatch } from './type-mismatch.ts';

/** 409: other managers own what the configuration wants otherwise. */
export function applyConflict(claims: Claims, conflicts: ReadonlyMap<string, FieldSet>): ApiError {
  const owners = [...conflicts]
    .sort(([a], [b]) => compareText(a, b))
    .map(([id, set]) => ({ name: ownerText(claims.get(id)), paths: pathsOf(set) }));
  const causes = owners.flatMap(({ name, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${name}`, field })),
  );
  return apiError(409, 'Conflict', conflictMessage(owners, causes.length), { causes });
}

function conflictMessage(owners: readonly { name: string; paths: readonly string[] }[], count: number): string {
  const [first] = owners;
  if (first && count === 1) return `Apply failed with 1 conflict: conflict with ${first.name}: ${first.paths[0]}`;
  const lines = owners.flatMap(({ name, paths }) => [`conflicts with ${name}:`, ...paths.map((path) => `- ${path}`)]);
  return `Apply failed with ${count} conflicts: ${lines.join('\n')}`;
}

function ownerText(claim: Claim | undefined): string {
  if (!claim) return '""';
  const subresource = claim.subresource === '' ? '' : ` with subresource ${JSON.stringify(claim.subresource)}`;
  const version = claim.operation === 'Update' ? ` using ${claim.apiVersion}` : '';
  return `${JSON.stringify(claim.manager)}${subresource}${version}`;
}

/** 500: the configuration does not fit the schema. */
export function configMismatch(config: Tree, mismatches: readonly TypeMismatch[]): ApiError {
  return apiError(
    500,
    '',
    `failed to create typed patch object (${describe(config)}): ${listedMismatches(mismatches)}`,
  );
}

/** 500: the stored object does not fit the schema, so that nothing can be applied to it. */
export function liveMismatch(live: unknown, mismatch: TypeMismatch): ApiError {
  return apiError(500, '', `failed to create typed live object (${describe(live)}): ${mismatch.message}`);
}

/** All of them in one text. */
export function listedMismatches(mismatches: readonly TypeMismatch[]): string {
  const [first] = mismatches;
  if (first && mismatches.length === 1) return first.message;
  return ['errors:', ...mismatches.map((mismatch) => `  ${mismatch.message}`)].join('\n');
}

function describe(object: unknown): string {
  const tree = isTree(object) ? object : {};
  const metadata = own(tree, 'metadata');
  const text = (from: unknown, key: string) => {
    const value = isTree(from) ? own(from, key) : undefined;
    return typeof value === 'string' ? value : '';
  };
  const version = text(tree, 'apiVersion');
  const qualified = version.includes('/') ? version : `/${version}`;
  return `${text(metadata, 'namespace')}/${text(metadata, 'name')}; ${qualified}, Kind=${text(tree, 'kind')}`;
}
