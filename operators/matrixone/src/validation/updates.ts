import { deepEqual, parseQuantity } from '@coxswain/runtime/core';
import type { CNSetSpec, DataVolume, DNSetSpec, LogSetSpec, MatrixOneClusterSpec } from '../api/index.ts';
import { cnGroupsOf } from '../children/index.ts';
import { compareVersions, matrixOneVersionOf, operatorVersionOf } from '../version/index.ts';
import { below, type Problem, unless } from './problems.ts';

/** What a volume may not become: it can only grow, where it is. */
function volumeUpdate(field: string, old: DataVolume | undefined, next: DataVolume | undefined): readonly Problem[] {
  if (!old || !next) return [];
  const { storageClassName: before } = old;
  const { storageClassName: after } = next;
  const sameClass = before === undefined || after === undefined || before === after;
  const grows = parseQuantity(next.size).nano >= parseQuantity(old.size).nano;
  return [
    ...unless(sameClass, `${field}.storageClassName`, 'storageClassName is immutable'),
    ...unless(grows, `${field}.size`, 'volume size cannot be decreased'),
  ];
}

/** What the spec of a LogSet may not become. Expects defaulted and valid specs, so that defaulting is no change. */
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

/** What the spec of a CNSet may not become: behaviours of newer operators are not taken back from running nodes. */
export function cnSetUpdateProblems(old: CNSetSpec, next: CNSetSpec): readonly Problem[] {
  const stillKnown = matrixOneVersionOf(old) === undefined || matrixOneVersionOf(next) !== undefined;
  const notLower = compareVersions(operatorVersionOf(next), operatorVersionOf(old)) >= 0;
  return [
    ...unless(stillKnown, 'spec.semanticVersion', 'new version must also be semantic'),
    ...unless(notLower, 'spec.operatorVersion', 'new operatorVersion must be greater than or equal to the oldVersion'),
    ...volumeUpdate('spec.cacheVolume', old.cacheVolume, next.cacheVolume),
  ];
}

/** What the spec of a MatrixOneCluster may not become, its sets included. Expects defaulted and valid specs. */
export function clusterUpdateProblems(old: MatrixOneClusterSpec, next: MatrixOneClusterSpec): readonly Problem[] {
  const before = new Map(cnGroupsOf(old).map(({ name, spec }) => [name, spec]));
  const groups = cnGroupsOf(next).flatMap(({ name, spec }, i) => {
    const path = i < (next.cnGroups?.length ?? 0) ? `spec.cnGroups[${i}]` : `spec.${name}`;
    return below(path, volumeUpdate('spec.cacheVolume', before.get(name)?.cacheVolume, spec.cacheVolume));
  });
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
    ...groups,
  ];
}
