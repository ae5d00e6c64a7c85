/**
 * The Table form: what each kind shows of itself in a list. Knows the fields of kinds; nothing of storage or requests.
 */
export { columnsOf } from './columns.ts';
export { ageOf, humanDuration } from './human-duration.ts';
export { compileJsonPath, type JsonPath, JsonPathError } from './json-path.ts';
export { toTable } from './to-table.ts';
