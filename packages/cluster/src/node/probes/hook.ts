import type { HTTPGetAction, LifecycleHandler } from '@coxswain/k8s';
import { sleep } from '@coxswain/runtime/core';
import { outputOf, runCommand } from './command.ts';
import { httpGet } from './http-get.ts';
import { getRequest } from './http-request.ts';
import type { ProbeTarget } from './target.ts';

const notEncrypted = 'server gave HTTP response to HTTPS client';

function failure(what: string, { pod, container }: ProbeTarget, error: unknown, more = ''): Error {
  const { name, namespace, uid } = pod.metadata;
  const why = error instanceof Error ? error.message : String(error);
  const where = `for Container "${container.name}" in Pod "${name}_${namespace}(${uid})"`;
  return new Error(`${what} ${where} failed - error: ${why}${more}`, { cause: error });
}

async function runExec(command: readonly string[], target: ProbeTarget, signal: AbortSignal): Promise<void> {
  const what = `Exec lifecycle hook ([${command.join(' ')}])`;
  let output = '';
  try {
    const result = await runCommand(target, command, signal);
    if (result.exitCode === 0) return;
    output = outputOf(result);
    throw new Error(`command '${command.join(' ')}' exited with ${result.exitCode}: ${result.stderr}`);
  } catch (error) {
    throw failure(what, target, error, `, message: ${JSON.stringify(output)}`);
  }
}

/** Any answer is a good one. A server that turns out not to be encrypted is asked once more in the clear. */
async function runHttp(action: HTTPGetAction, target: ProbeTarget, signal: AbortSignal): Promise<void> {
  try {
    const request = getRequest(action, target, 'lifecycle');
    await httpGet(request, target, signal).catch((error: unknown) => {
      if (!(error instanceof Error) || !error.message.endsWith(notEncrypted)) throw error;
      const open = [...request.headers].filter(([name]) => name.toLowerCase() !== 'authorization');
      return httpGet({ ...request, scheme: 'http', headers: new Map(open) }, target, signal);
    });
  } catch (error) {
    throw failure(`HTTP lifecycle hook (${action.path ?? ''})`, target, error);
  }
}

async function runSleep(seconds: number, target: ProbeTarget, signal: AbortSignal): Promise<void> {
  await sleep(target.clock, seconds * 1000, signal).catch(() => {
    throw failure(
      `Sleep lifecycle hook (${seconds})`,
      target,
      new Error('container terminated before sleep hook finished'),
    );
  });
}

/** Runs a `postStart` or `preStop` hook to its end. Rejects with an Error in the kubelet's words. */
export async function executeHook(handler: LifecycleHandler, target: ProbeTarget, signal: AbortSignal): Promise<void> {
  const { exec, httpGet: get, sleep: pause } = handler;
  if (exec) return runExec(exec.command ?? [], target, signal);
  if (get) return runHttp(get, target, signal);
  if (pause) return runSleep(pause.seconds, target, signal);
  throw new Error(
    `Cannot run handler: invalid handler: the ${handler.tcpSocket ? 'tcpSocket hook is' : 'hook is empty and'} not run by any kubelet; use exec, httpGet or sleep`,
  );
}
