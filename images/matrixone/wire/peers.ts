import type { Protocol } from '@coxswain/operator-matrixone/morpc';
import {
  bytes,
  type Decoded,
  type Encodable,
  message,
  plain,
  string,
  uint64,
} from '@coxswain/operator-matrixone/morpc/protobuf';

const Said = message({
  requestId: plain(1, uint64),
  kind: plain(2, string),
  json: plain(3, string),
  body: plain(4, bytes),
});

/** What log stores say to each other, on the ports of gossip and raft. Nobody else talks to those, so it is this program's own. */
export const peerService: Protocol<
  Decoded<typeof Said>,
  Encodable<typeof Said>,
  Decoded<typeof Said>,
  Encodable<typeof Said>
> = { name: 'peer service', request: Said, response: Said, payload: false };
