import type { Status } from '@coxswain/k8s';
import { ApiError, apiError } from '@coxswain/runtime/core';
import type { CommandSession, CommandStreams } from '../apiserver/streams.ts';

/** Runs the command; a failure of the server is a status too. */
export async function statusOfRun(session: CommandSession, streams: CommandStreams): Promise<Status> {
  try {
    return await session.run(streams);
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    const message = error instanceof Error ? error.message : String(error);
    return apiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] }).status;
  }
}

/** What is written on the error channel: the status since version 4 of the protocol, before it the text of a failure. */
export function statusBytes(status: Status, asObject: boolean): Buffer {
  if (asObject) {
    const { kind: _, apiVersion: _version, code, ...told } = status;
    // How it ended is no failure of the server.
    const ended = status.status === 'Success' || status.reason === 'NonZeroExitCode';
    return Buffer.from(JSON.stringify(ended ? told : { ...told, code }));
  }
  return Buffer.from(status.status === 'Success' ? '' : (status.message ?? ''));
}
