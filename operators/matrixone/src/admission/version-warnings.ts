import {
  compareVersions,
  FIRST_OPERATOR_VERSION,
  LATEST_OPERATOR_VERSION,
  operatorVersionOf,
  parseVersion,
} from '../version/index.ts';
import type { PlacedSet } from './rules.ts';

/**
 * What is said about operator versions that are taken, as upstream takes them, and mean something else than they seem to: what is no version, and
 * what this operator does not know yet.
 */
export function versionWarnings(sets: readonly PlacedSet[]): readonly string[] {
  return sets.flatMap(({ path, spec: { operatorVersion } }) => {
    if (operatorVersion === undefined) return [];
    const field = `${path}.operatorVersion`;
    if (parseVersion(operatorVersion) === undefined) {
      return [`${field}: "${operatorVersion}" is no version, and taken for ${FIRST_OPERATOR_VERSION}`];
    }
    const latest = operatorVersionOf({ operatorVersion: LATEST_OPERATOR_VERSION });
    const isKnown = compareVersions(operatorVersionOf({ operatorVersion }), latest) <= 0;
    return isKnown
      ? []
      : [`${field}: ${operatorVersion} is not known to this operator, which knows up to ${LATEST_OPERATOR_VERSION}`];
  });
}
