import { logService } from '@coxswain/operator-matrixone/mo';
import type { Protocol } from '@coxswain/operator-matrixone/morpc';
import {
  type Decoded,
  type Encodable,
  int32,
  type Message,
  message,
  optional,
  plain,
  repeated,
  string,
  uint64,
} from '@coxswain/operator-matrixone/morpc/protobuf';

/** Methods by which stores report themselves; operators make none of these calls. */
export const heartbeatMethods = { LOG_HEARTBEAT: 7, CN_HEARTBEAT: 8, TN_HEARTBEAT: 9, PROXY_HEARTBEAT: 19 } as const;

/** A replica as its store knows it; who else has one is HAKeeper's own knowledge here. */
const LogReplica = message({
  shard: optional(1, message({ shardId: plain(1, uint64), leaderId: plain(4, uint64), term: plain(5, uint64) })),
  replicaId: plain(2, uint64),
});

/** Fields with the numbers of logservice.proto; the shards of a TN are HAKeeper's own knowledge here. */
const Heartbeats = message({
  logHeartbeat: optional(
    4,
    message({
      uuid: plain(1, string),
      raftAddress: plain(2, string),
      serviceAddress: plain(3, string),
      gossipAddress: plain(4, string),
      replicas: repeated(5, LogReplica),
    }),
  ),
  cnHeartbeat: optional(
    5,
    message({
      uuid: plain(1, string),
      serviceAddress: plain(2, string),
      sqlAddress: plain(3, string),
      lockServiceAddress: plain(4, string),
      role: plain(6, int32),
      queryAddress: plain(8, string),
      initWorkState: plain(9, string),
      shardServiceAddress: plain(14, string),
      commitId: plain(15, string),
    }),
  ),
  tnHeartbeat: optional(
    6,
    message({
      uuid: plain(1, string),
      serviceAddress: plain(2, string),
      logtailServerAddress: plain(5, string),
      lockServiceAddress: plain(6, string),
      queryAddress: plain(9, string),
      shardServiceAddress: plain(10, string),
    }),
  ),
  proxyHeartbeat: optional(13, message({ uuid: plain(1, string), listenAddress: plain(2, string) })),
});
export type Heartbeats = Encodable<typeof Heartbeats>;

type LogRequest = Decoded<typeof logService.request>;
type LogRequestIn = Encodable<typeof logService.request>;

/** A message whose fields are those of both: on the wire that is one behind the other. */
function joined<A extends object, AIn, B extends object, BIn>(
  one: Message<A, AIn>,
  other: Message<B, BIn>,
): Message<A & B, AIn & BIn> {
  const encode = (value: AIn & BIn) => Buffer.concat([one.encode(value), other.encode(value)]);
  const decode = (bytes: Uint8Array) => ({ ...one.decode(bytes), ...other.decode(bytes) });
  return {
    layout: one.layout,
    zero: () => ({ ...one.zero(), ...other.zero() }),
    read: (reader) => decode(reader.bytes()),
    write: (writer, value) => writer.bytes(encode(value)),
    isZero: () => false,
    encode,
    decode,
  };
}

/** The log service as stores use it: with heartbeats. */
export const storeService: Protocol<
  LogRequest & Decoded<typeof Heartbeats>,
  LogRequestIn & Heartbeats,
  Decoded<typeof logService.response>,
  Encodable<typeof logService.response>
> = {
  name: 'log service',
  request: joined(logService.request, Heartbeats),
  response: logService.response,
  payload: true,
};
export type StoreRequest = Decoded<typeof storeService.request>;
export type StoreAnswer = Encodable<typeof storeService.response>;
