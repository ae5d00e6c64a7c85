/**
 * Protobuf (proto3) as far as MatrixOne's messages need it: a message is a table of fields, from which its types and both directions
 * of its codec come. Knows no message, and nothing of frames or connections.
 */
export { type Field, map, optional, plain, repeated } from './field.ts';
export { type Decoded, type Encodable, type Message, type MessageFields, message } from './message.ts';
export { Reader, wire } from './reader.ts';
export { bool, bytes, double, int32, int64, string, uint32, uint64, type ValueType } from './types.ts';
