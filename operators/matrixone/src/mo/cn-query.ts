import type { CallOptions, MorpcClient } from '../morpc/index.ts';
import { partOf } from './ask.ts';
import { errorCode, MatrixOneError } from './errors.ts';
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

/** What a compute node still serves. */
export interface CnLoad {
  readonly sessions: number;
  readonly pipelines: number;
  /** Of shards. */
  readonly replicas: number;
}

/** Users that nodes and proxies make for themselves. Those of the task service have a made-up UUID as their name, and a database of their own. */
const ownUsers: readonly string[] = ['mo_logger', 'proxy_user'];
const ownDatabase = 'mo_task';
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** What decides which sessions count. */
export interface SessionSources {
  /** Whether the cluster has proxies, which move the sessions of a node that is to go. */
  readonly proxies: boolean;
  /** Whether sessions say that they came through a proxy; older releases do not. */
  readonly sourced: boolean;
}

/**
 * The sessions that are in the way of a node's end. Where there are proxies, those that came through one (`spec/matrixone-real.md` §3.4): the others are
 * those by which nodes run their own tasks, and of administrators. Where there are none, all but the nodes' own.
 */
export function usersSessions(sessions: readonly Session[], { proxies, sourced }: SessionSources): readonly Session[] {
  if (!proxies) return sessions.filter((session) => session.fromProxy || !isOwn(session));
  return sessions.filter(({ fromProxy, account }) => (sourced ? fromProxy : account !== '' && account !== 'sys'));
}

function isOwn({ account, user, db }: Session): boolean {
  if (account !== 'sys') return account === '';
  return ownUsers.includes(user) || db === ownDatabase || uuid.test(user);
}

/** The answer, or `undefined` when the node's release has no such command. */
async function ifSupported<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof MatrixOneError && error.code === errorCode.notSupported) return undefined;
    throw error;
  }
}

/**
 * Counts a compute node's load. What its release cannot have, as pipelines before 1.1.2, counts as 0; that is learned from what it answers, not
 * from its version. All else is known, or this throws as {@link queryCn} does.
 * @param proxies whether the cluster has proxies
 */
export async function cnLoad(
  client: MorpcClient,
  address: string,
  proxies: boolean,
  options?: CallOptions,
): Promise<CnLoad> {
  const [{ sessions }, pipelines, replicas] = await Promise.all([
    queryCn(client, address, 'showProcessList', { sysTenant: true }, options),
    ifSupported(queryCn(client, address, 'getPipelineInfo', {}, options)),
    ifSupported(queryCn(client, address, 'getReplicaCount', {}, options)),
  ]);
  return {
    // Sessions say where they come from since the release that counts pipelines.
    sessions: usersSessions(sessions, { proxies, sourced: pipelines !== undefined }).length,
    pipelines: Number(pipelines?.count ?? 0n),
    replicas: Number(replicas?.count ?? 0n),
  };
}
