import type { Probe } from '@coxswain/k8s';
import { formatDuration } from '@coxswain/runtime/core';
import type { ProbeResult } from '../runtime.ts';
import { outputOf, probeCommand, runCommand } from './command.ts';
import { grpcCheck } from './grpc-check.ts';
import { httpGet } from './http-get.ts';
import { getRequest } from './http-request.ts';
import { hostPort, ProbeError, type ProbeTarget, portNumber } from './target.ts';

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const durationText = (seconds: number) => formatDuration(seconds * 1000);

type Work = (probe: Probe, target: ProbeTarget, signal: AbortSignal) => Promise<ProbeResult>;

const runExec: Work = async ({ exec, timeoutSeconds = 1 }, target, signal) => {
  const command = probeCommand(exec?.command, target.container);
  try {
    const result = await runCommand(target, command, signal);
    if (!signal.aborted) return { ok: result.exitCode === 0, output: outputOf(result) };
  } catch (error) {
    if (!signal.aborted) throw new ProbeError(messageOf(error));
  }
  const quoted = JSON.stringify(command.join(' '));
  return { ok: false, output: `command timed out: ${quoted} timed out after ${durationText(timeoutSeconds)}` };
};

const runHttp: Work = async ({ httpGet: action }, target, signal) => {
  if (!action) throw new ProbeError('missing probe handler');
  const request = getRequest(action, target, 'probe');
  try {
    const { status, body } = await httpGet(request, target, signal);
    if (status < 200 || status >= 400) return { ok: false, output: `HTTP probe failed with statuscode: ${status}` };
    if (status < 300) return { ok: true, output: body };
    return { ok: true, output: `Probe terminated redirects, Response body: ${body}`, note: 'warning' };
  } catch (error) {
    return { ok: false, output: messageOf(error) };
  }
};

const runTcp: Work = async ({ tcpSocket }, target, signal) => {
  const port = portNumber(tcpSocket?.port ?? 0, target.container);
  const host = tcpSocket?.host || target.podAddress;
  try {
    (await target.dial(host, port, signal)).destroy();
    return { ok: true, output: '' };
  } catch (error) {
    return { ok: false, output: signal.aborted ? `dial tcp ${hostPort(host, port)}: i/o timeout` : messageOf(error) };
  }
};

function workOf({ exec, httpGet: get, tcpSocket, grpc }: Probe): Work | undefined {
  if (exec) return runExec;
  if (get) return runHttp;
  if (tcpSocket) return runTcp;
  if (!grpc) return undefined;
  const { port, service = '' } = grpc;
  return ({ timeoutSeconds = 1 }, target, signal) =>
    grpcCheck(target, { port, service }, durationText(timeoutSeconds), signal);
}

/**
 * Asks a container how it is, once. Never rejects: what goes wrong is a result.
 * @param signal aborted when the probe's `timeoutSeconds` are over; it may be a little late, the texts name the probe's time
 */
export async function executeProbe(probe: Probe, target: ProbeTarget, signal: AbortSignal): Promise<ProbeResult> {
  const { name, namespace, uid } = target.pod.metadata;
  try {
    const work = workOf(probe);
    if (!work) throw new ProbeError(`missing probe handler for ${name}_${namespace}(${uid}):${target.container.name}`);
    return await work(probe, target, signal);
  } catch (error) {
    return { ok: false, output: messageOf(error), note: 'error' };
  }
}
