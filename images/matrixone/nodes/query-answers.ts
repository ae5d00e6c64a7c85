import { ErrorMessage, errorCode, queryCommands, type queryService } from '@coxswain/operator-matrixone/mo';
import type { Decoded, Encodable } from '@coxswain/operator-matrixone/morpc/protobuf';
import type { Session, Sessions } from '../sql/session.ts';
import type { Faults } from './faults.ts';

type Request = Decoded<typeof queryService.request>;
type Answer = Encodable<typeof queryService.response>;

/** The version of the protocol between nodes that 4.2 has. */
const protocolVersion = 4n;

/** An error as nodes answer it. */
const failed = (code: number, message: string): Answer => ({ error: ErrorMessage.encode({ code, message }) });

const timeOf = (ms: number) => ({ seconds: BigInt(Math.floor(ms / 1000)), nanos: (ms % 1000) * 1_000_000 });

function sessionMessage(nodeId: string, session: Session) {
  const { id, account, user, db, info, start, fromProxy } = session;
  return {
    nodeId,
    connId: id,
    sessionId: `${nodeId}-${id}`,
    account,
    user,
    db,
    info,
    fromProxy,
    command: info === '' ? 'Sleep' : 'Query',
    sessionStart: timeOf(start),
  };
}

/** What a compute node's query service answers. */
export async function answerQuery(
  request: Request,
  nodeId: string,
  sessions: Sessions,
  faults: Faults,
): Promise<Answer> {
  const { method } = request;
  return { method, ...(await answerOf(request, nodeId, sessions, faults)) };
}

async function answerOf(request: Request, nodeId: string, sessions: Sessions, faults: Faults): Promise<Answer> {
  const { showProcessList, migrateConnFrom, migrateConnTo, resetSession } = request;
  if (showProcessList) {
    const { tenant, sysTenant } = showProcessList;
    const seen = sessions.all.filter(({ account }) => sysTenant || account === tenant);
    return { showProcessList: { sessions: seen.map((session) => sessionMessage(nodeId, session)) } };
  }
  const stuck = (await faults.get('stuck-sessions')) !== undefined;
  if (stuck && (migrateConnFrom || migrateConnTo || request.killConn))
    return failed(errorCode.internal, 'sessions are stuck');
  if (migrateConnFrom) {
    const session = sessions.get(migrateConnFrom.connId);
    if (!session) return failed(errorCode.internal, `connection ${migrateConnFrom.connId} does not exist`);
    return { migrateConnFrom: { db: session.db } };
  }
  if (migrateConnTo) {
    const session = sessions.get(migrateConnTo.connId);
    if (session) session.db = migrateConnTo.db;
    return { migrateConnTo: { success: session !== undefined } };
  }
  if (resetSession) return { resetSession: { success: sessions.get(resetSession.connId) !== undefined } };
  return plainAnswer(request, nodeId, sessions);
}

function plainAnswer({ method }: Request, nodeId: string, sessions: Sessions): Answer {
  switch (method) {
    case queryCommands.killConn:
      return { killConn: { success: true } };
    case queryCommands.getTxnInfo: {
      const open = sessions.all.filter(({ inTransaction }) => inTransaction);
      return {
        getTxnInfo: {
          cnId: nodeId,
          transactions: open.map(({ start }) => ({ created: timeOf(start), isUsers: true })),
        },
      };
    }
    case queryCommands.getCacheInfo:
      return { getCacheInfo: {} };
    case queryCommands.getProtocolVersion:
      return { getProtocolVersion: { version: protocolVersion } };
    case queryCommands.getPipelineInfo:
      return { getPipelineInfo: {} };
    case queryCommands.getReplicaCount:
      return { getReplicaCount: {} };
    default:
      return failed(errorCode.notSupported, `command ${method} is not supported`);
  }
}
