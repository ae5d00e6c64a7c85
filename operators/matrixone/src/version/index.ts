/** Versions of MatrixOne and of operator behaviour, and what each switches on. */
export {
  FIRST_OPERATOR_VERSION,
  hasDiscoveryFixed,
  hasInPlaceConfig,
  hasInPlacePoolRolling,
  imageTag,
  LATEST_OPERATOR_VERSION,
  matrixOneVersionOf,
  operatorVersionOf,
} from './features.ts';
export { compareVersions, parseVersion, type SemanticVersion } from './semver.ts';
