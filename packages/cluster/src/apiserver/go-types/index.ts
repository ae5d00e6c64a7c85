/**
 * go-types: what the real server's decoders and encoders, written in Go, make of JSON: which values they do not read, in their own
 * words, and the order in which they write fields. It knows the Go types of the built-in kinds, nothing of requests.
 */
export { decodeFault } from './decode-fault.ts';
export { marshal } from './marshal.ts';
export { faultOf, settled } from './reads.ts';
export { restoreFault } from './restore-fault.ts';
export { settleNulls } from './settle-nulls.ts';
export { definitionOf, isMetaKind, isRegistered, objectMeta } from './table.ts';
