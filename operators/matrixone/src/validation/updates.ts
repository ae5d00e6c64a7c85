import { deepEqual, parseQuantity } from '@coxswain/runtime/core';
import type { CNSetSpec, DataVolume, DNSetSpec, LogSetSpec, MatrixOneClusterSpec } from '../api/index.ts';
import { cnGroupsOf, type NamedGroup } from '../children/index.ts';
import { compareVersions, matrixOneVersionOf, operatorVersionOf } from '../version/index.ts';
import { below, type Problem, parsable, unless } from './problems.ts';

/** Whether a volume does not shrink. Of a size that is none that is told, and nothing else can be. */
function grows(old: DataVolume, next: DataVolume): boolean {
  const isRead = [old, next].every(({ size }) => parsable('', () => parseQuantity(size)).length === 0);
  return !isRead || parseQuantity(next.size).nano >= parseQuantity(old.size).nano;
}

/** What a volume may not become: it can only grow, where it is. */
function volumeUpdate(field: string, old: DataVolume | undefined, next: DataVolume | undefined): readonly Problem[] {
  if (!old || !next) return [];
  const { storageClassName: before } = old;
  const { storageClassName: after } = next;
  const sameClass = before === undefined || after === undefined || before === after;
  return [
    ...unless(sameClass, `${field}.storageClassName`, 'storageClassName is immutable'),
    ...unless(grows(old, next), `${field}.size`, 'volume size cannot be decreased'),
  ];
}

/** What the spec of a LogSet may not become. Expects defaulted specs, so that defaulting is no change. */
export function logSetUpdateProblems(old: LogSetSpec, next: LogSetSpec): readonly Problem[] {
  const sameStart = deepEqual(old.initialConfig, next.initialConfig);
  const samePlace = deepEqual(old.sharedStorage.s3, next.sharedStorage.s3);
  return [
    ...unless(sameStart, 'spec.initialConfig', 'initialConfig is immutable'),
    ...unless(samePlace, 'spec.sharedStorage.s3', 'sharedStorage.s3 is immutable'),
    ...volumeUpdate('spec.volume', old.volume, next.volume),
  ];
}

/** What the spec of a DNSet may not become. */
export function dnSetUpdateProblems(old: DNSetSpec, next: DNSetSpec): readonly Problem[] {
  return volumeUpdate('spec.cacheVolume', old.cacheVolume, next.cacheVolume);
}

const isLower = (old: CNSetSpec, next: CNSetSpec) =>
  compareVersions(operatorVersionOf(next), operatorVersionOf(old)) < 0;
const lowered = 'new operatorVersion must be greater than or equal to the oldVersion';

/** What the spec of a CNSet may not become: behaviours of newer operators are not taken back from running nodes. */
export function cnSetUpdateProblems(old: CNSetSpec, next: CNSetSpec): readonly Problem[] {
  const stillKnown = matrixOneVersionOf(old) === undefined || matrixOneVersionOf(next) !== undefined;
  return [
    ...unless(stillKnown, 'spec.semanticVersion', 'new version must also be semantic'),
    ...unless(!isLower(old, next), 'spec.operatorVersion', lowered),
    ...volumeUpdate('spec.cacheVolume', old.cacheVolume, next.cacheVolume),
  ];
}

interface PlacedGroup extends NamedGroup {
  /** Where its spec stands in the cluster's, and where the operator version that its CNSet gets. */
  readonly path: string;
  readonly versionField: string;
}

function groupsOf(spec: MatrixOneClusterSpec): readonly PlacedGroup[] {
  const { operatorVersion, cnGroups = [] } = spec;
  return cnGroupsOf(spec).map(({ name, spec: group }, i) => {
    const path = i < cnGroups.length ? `spec.cnGroups[${i}]` : `spec.${name}`;
    if (group.operatorVersion !== undefined)
      return { name, path, spec: group, versionField: `${path}.operatorVersion` };
    return { name, path, spec: { ...group, operatorVersion }, versionField: 'spec.operatorVersion' };
  });
}

/** What the groups may not become. Of a version that is lowered their CNSets tell, too, but when the sets before them have been changed already. */
function groupProblems(old: MatrixOneClusterSpec, next: MatrixOneClusterSpec): readonly Problem[] {
  const before = new Map(groupsOf(old).map(({ name, spec }) => [name, spec]));
  const groups = groupsOf(next).flatMap((group) => {
    const was = before.get(group.name);
    return was ? [{ ...group, was }] : [];
  });
  const falling = groups.filter(({ was, spec }) => isLower(was, spec)).map(({ versionField }) => versionField);
  return [
    ...[...new Set(falling)].map((field) => ({ field, message: lowered })),
    ...groups.flatMap(({ path, was, spec }) =>
      below(path, volumeUpdate('spec.cacheVolume', was.cacheVolume, spec.cacheVolume)),
    ),
  ];
}

/** What the spec of a MatrixOneCluster may not become, its sets included. Expects defaulted specs. */
export function clusterUpdateProblems(old: MatrixOneClusterSpec, next: MatrixOneClusterSpec): readonly Problem[] {
  const transaction = volumeUpdate(
    'spec.cacheVolume',
    (old.tn ?? old.dn)?.cacheVolume,
    (next.tn ?? next.dn)?.cacheVolume,
  );
  const sameBackup = (old.restoreFrom ?? '') === (next.restoreFrom ?? '');
  return [
    ...unless(sameBackup, 'spec.restoreFrom', 'restoreFrom is immutable'),
    ...below('spec.logService', logSetUpdateProblems(old.logService, next.logService)),
    ...below(next.tn ? 'spec.tn' : 'spec.dn', transaction),
    ...groupProblems(old, next),
  ];
}
