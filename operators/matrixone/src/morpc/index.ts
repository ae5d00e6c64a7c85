/**
 * morpc, the protocol of MatrixOne's services: frames, a client with one connection for each address, a server for stand-ins and
 * tests. Knows no service, no message and nothing of Kubernetes.
 */
export { type CallOptions, type FinishedCall, MorpcClient, type MorpcClientOptions } from './client.ts';
export { CallError, type CallFailure, type CallPlace, WireError } from './errors.ts';
export {
  decodeFrame,
  decodeRequestFrame,
  encodeAnswerFrame,
  encodeRequestFrame,
  type Frame,
  type FrameOptions,
  flags,
  maxFrameSize,
  type OutgoingFrame,
} from './frame.ts';
export { FrameBuffer } from './frame-buffer.ts';
export { type Correlated, type Protocol, requestIdOf } from './protocol.ts';
export { MorpcServer, type MorpcServerOptions, type RequestContext } from './server.ts';
export type { ByteStream, Dial, StreamReader } from './stream.ts';
export { dialTcp, type Listening, listenTcp, parseAddress } from './tcp.ts';
