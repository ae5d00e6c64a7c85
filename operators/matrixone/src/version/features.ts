import type { PodSetSpec } from '../api/index.ts';
import { parseVersion, type SemanticVersion } from './semver.ts';

/** What an unset or unreadable `operatorVersion` means. */
export const FIRST_OPERATOR_VERSION = '1.2.0';
/** What new clusters get. */
export const LATEST_OPERATOR_VERSION = '1.3.0';

/** "At least `since`", within its major: a patch release of a later minor does not count for a patch of an earlier one. */
function hasSince(version: SemanticVersion, since: SemanticVersion): boolean {
  if (version.major !== since.major) return false;
  if (since.patch === 0) return version.minor >= since.minor;
  return version.minor === since.minor && version.patch >= since.patch;
}

function since(text: string): SemanticVersion {
  const version = parseVersion(text);
  if (!version) throw new RangeError(`"${text}" is not a version`);
  return version;
}

const firstOperator = since(FIRST_OPERATOR_VERSION);
const inPlaceConfig = since('1.3.0');

/** The behaviours of operators up to which version a set takes part in. */
export function operatorVersionOf(spec: Pick<PodSetSpec, 'operatorVersion'>): SemanticVersion {
  return parseVersion(spec.operatorVersion ?? '') ?? firstOperator;
}

/** Whether configuration is updated in place (one ConfigMap, suffixed keys) instead of by a new ConfigMap. */
export function hasInPlaceConfig(spec: Pick<PodSetSpec, 'operatorVersion'>): boolean {
  return hasSince(operatorVersionOf(spec), inPlaceConfig);
}

/** Whether the CNs of a pool are rolled in place; arrived together with in-place configuration. */
export const hasInPlacePoolRolling = hasInPlaceConfig;

/** The tag of an image: the text after the last colon, `''` without one. */
export function imageTag(image: string): string {
  const colon = image.lastIndexOf(':');
  return colon < 0 ? '' : image.slice(colon + 1);
}

/** The version of MatrixOne a set runs: the field, else the image's tag; `undefined` when neither tells. */
export function matrixOneVersionOf(spec: Pick<PodSetSpec, 'semanticVersion' | 'image'>): SemanticVersion | undefined {
  return parseVersion(spec.semanticVersion ?? imageTag(spec.image ?? ''));
}

/** Whether stores can ask a discovery address for HAKeeper, instead of being given every log store. Since 2.0.0, on any major. */
export function hasDiscoveryFixed(version: SemanticVersion | undefined): boolean {
  return version !== undefined && version.major >= 2;
}
