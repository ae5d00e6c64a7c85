/**
 * http/protobuf: objects of built-in kinds in the binary form that Go clients prefer. Driven by the table of
 * `@coxswain/k8s/protobuf`; knows messages and bytes, and nothing of requests, verbs or storage.
 */
export { ProtobufError } from './errors.ts';
export { watchFrame } from './frames.ts';
export { decodeMessage, encodeMessage } from './messages.ts';
export { messageOf, servesProtobuf } from './names.ts';
export { decodeObject, encodeObject, hasMessage, knownSize } from './object.ts';
