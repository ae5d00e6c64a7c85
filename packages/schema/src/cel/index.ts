/**
 * CEL as Kubernetes has it: parser, type checker, evaluator, costs and libraries, and the rules of resource schemas on
 * top. It knows schemas and values; who is asked for permission, and what a request is, its callers bring.
 *
 * text → `syntax/` (tree, macros unfolded) → `types/` (checked) → `eval/` (closures, costs) → value;
 * `library/` brings the functions, `values/` what they work on, `rules/` ties them to schemas.
 */
export {
  type CompileError,
  compileExpression,
  type Expression,
  type ExpressionOptions,
  type Outcome,
  perCallLimit,
} from './expression.ts';
export {
  type AuthorizationAnswer,
  type AuthorizationQuery,
  type Authorize,
  authorizerType,
  authorizerValue,
  requestResourceValue,
  resourceCheckType,
} from './library/authorizer.ts';
export { jsonPatchLibrary, kubernetesEnvironment } from './library/kubernetes.ts';
export {
  applyConfigurationOf,
  applyConfigurationType,
  constructMutation,
  jsonPatchOf,
  jsonPatchType,
  mutationTypes,
} from './library/mutation.ts';
export { type CompiledRule, type CompileRuleOptions, compileRule } from './rules/compile-rule.ts';
export { type DeclType, DeclTypes, declTypeOf } from './rules/decl-type.ts';
export { dynamicValue } from './rules/dynamic-value.ts';
export { type EvaluateOptions, evaluateRules, objectBudget } from './rules/evaluate-rules.ts';
export { readerOf, rootReaderOf } from './rules/schema-values.ts';
export { validateDefaults } from './rules/validate-defaults.ts';
export { ruleCostLimit, schemaCostLimit, validateRules } from './rules/validate-rules.ts';
export {
  addLibrary,
  createEnvironment,
  type Environment,
  extendEnvironment,
  type FieldTypes,
  type Library,
} from './types/environment.ts';
export { overload } from './types/overload.ts';
export { parseType } from './types/signature.ts';
export { type CelType, formatType, listOf, mapOf, sameType, structType, types } from './types/type.ts';
export { CelError } from './values/errors.ts';
export { LazyMap } from './values/lazy-map.ts';
export type { Value } from './values/value.ts';
