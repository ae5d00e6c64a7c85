import type { CallOptions, MorpcClient } from '../morpc/index.ts';
import { partOf } from './ask.ts';
import {
  type QueryCommand,
  type QueryRequest,
  type QueryResponse,
  queryCommands,
  queryService,
  type Session,
} from './messages/query-service.ts';

/**
 * Asks one compute node, at the `queryAddress` it has in the cluster's details. A transaction node answers
 * `getCacheInfo` and `getProtocolVersion` too.
 * @param request what the command wants to know; often nothing
 * @throws CallError without an answer, MatrixOneError when it is an error (code 20105: the node has no such command); never an empty answer instead
 */
export async function queryCn<C extends QueryCommand>(
  client: MorpcClient,
  address: string,
  command: C,
  request: NonNullable<QueryRequest[C]>,
  options?: CallOptions,
): Promise<NonNullable<QueryResponse[C]>> {
  const method = queryCommands[command];
  const answer = await client.call(queryService, address, command, { method, [command]: request }, options);
  return partOf(
    { address, method: command },
    method,
    answer,
    answer[command] as NonNullable<QueryResponse[C]> | undefined,
  );
}

/** What to count of a compute node's load; by the version of MatrixOne it runs. */
export interface LoadParts {
  /** Whether sessions say that they came through a proxy. */
  readonly sessionSource: boolean;
  readonly pipelines: boolean;
  readonly replicas: boolean;
}

/** What a compute node still serves. */
export interface CnLoad {
  readonly sessions: number;
  /** 0 when they are not counted. */
  readonly pipelines: number;
  /** Of shards; 0 when they are not counted. */
  readonly replicas: number;
}

/** The sessions that are in the way of a node's end: those of users, not those by which nodes run their own tasks. */
export function usersSessions(sessions: readonly Session[], sessionSource: boolean): readonly Session[] {
  return sessions.filter(({ fromProxy, account }) => (sessionSource ? fromProxy : account !== '' && account !== 'sys'));
}

/** Counts a compute node's load. All counts are known, or this throws as {@link queryCn} does. */
export async function cnLoad(
  client: MorpcClient,
  address: string,
  parts: LoadParts,
  options?: CallOptions,
): Promise<CnLoad> {
  const [sessions, pipelines, replicas] = await Promise.all([
    queryCn(client, address, 'showProcessList', { sysTenant: true }, options),
    parts.pipelines ? queryCn(client, address, 'getPipelineInfo', {}, options) : undefined,
    parts.replicas ? queryCn(client, address, 'getReplicaCount', {}, options) : undefined,
  ]);
  return {
    sessions: usersSessions(sessions.sessions, parts.sessionSource).length,
    pipelines: Number(pipelines?.count ?? 0n),
    replicas: Number(replicas?.count ?? 0n),
  };
}
