/**
 * TOML as MatrixOne's configuration files need it: parsing that keeps integers and floats apart, rendering to the byte,
 * and merging of the user's values with the operator's. Knows nothing of Kubernetes or of MatrixOne's keys.
 */
export { mergeDeep } from './merge.ts';
export { parseToml, TomlSyntaxError } from './parse.ts';
export { cloneToml, getPath, setPath } from './path.ts';
export { renderToml } from './render.ts';
export { isTable, isTableList, type TomlTable, type TomlValue } from './value.ts';
