import type { FaultCounts, FaultRule } from '@coxswain/cluster';
import { createClient, httpTransport, loadKubeconfig, type Method } from '@coxswain/runtime/client';
import { ApiError } from '@coxswain/runtime/core';
import { messageOf, UnmetError, UsageError } from '../errors.ts';
import { clusterHome } from '../state/home.ts';
import { readProcessFile } from '../state/process-file.ts';
import type { Screen } from '../view/live.ts';
import type { FaultFlags } from './fault-options.ts';

interface Told {
  readonly id: string;
  readonly rule: FaultRule;
  readonly counts: FaultCounts;
}

/** Asks the cluster `name`. @throws UnmetError when none runs or it does not answer, UsageError when it refuses the rule */
async function ask<T>(name: string, method: Method, path: string, body?: unknown): Promise<T> {
  const running = await readProcessFile(clusterHome(name));
  if (!running) throw new UnmetError(`no cluster named ${name} is running; start one with: cox cluster start --detach`);
  const transport = httpTransport(await loadKubeconfig({ path: running.kubeconfig }));
  const client = createClient({ transport, fieldManager: 'cox' });
  try {
    return (await client.raw({ method, path: `/_coxswain/${path}`, ...(body === undefined ? {} : { body }) })) as T;
  } catch (error) {
    if (error instanceof ApiError && error.code === 400) throw new UsageError(error.message, { cause: error });
    throw new UnmetError(`the cluster ${name} (${running.url}) refused: ${messageOf(error)}`, { cause: error });
  } finally {
    await transport.close();
  }
}

/** The fields that were given; `undefined` when none was. */
function given<T extends object>(fields: T): T | undefined {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as T);
}

const patterns = (text: string | undefined) => (text?.includes(',') ? text.split(',') : text);

function parseRule(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--json is not JSON: ${messageOf(error)}`, { cause: error });
  }
}

/** The rule the flags say, as JSON; the server checks it. */
export function ruleFrom(flags: FaultFlags): unknown {
  const { json, name: _, ...fields } = flags;
  if (json !== undefined) {
    const other = Object.keys(fields)[0];
    if (other !== undefined) throw new UsageError(`--json is the whole rule: leave out the flag for ${other}`);
    return parseRule(json);
  }
  const { nth, every, probability, times, after, until, ms } = flags;
  const { latency, status, retryAfter, reset, loseReply, watch } = flags;
  const chosen = Object.keys(given({ latency, status, reset, loseReply, watch }) ?? {});
  if (chosen.length !== 1)
    throw new UsageError('say what is to happen: exactly one of --latency, --status, --reset, --lose-reply, --watch');
  const match = given({
    verb: patterns(flags.verb),
    resource: patterns(flags.resource),
    group: patterns(flags.group),
    subresource: patterns(flags.subresource),
    namespace: patterns(flags.namespace),
    name: patterns(flags.object),
    user: patterns(flags.user),
    userAgent: patterns(flags.userAgent),
  });
  const when = given({ nth, every, probability, times, after, until });
  const action = given({ latency, status, retryAfter, reset, loseReply, watch, ms });
  return { ...(match ? { match } : {}), ...(when ? { when } : {}), action };
}

function line({ id, rule, counts }: Told): string {
  return `${id}\tmatched ${counts.matched}\tfired ${counts.fired}\t${JSON.stringify(rule)}\n`;
}

export async function addFault(flags: FaultFlags, screen: Screen): Promise<void> {
  const { id } = await ask<Told>(flags.name, 'POST', 'faults', ruleFrom(flags));
  const name = flags.name === 'default' ? '' : ` --name ${flags.name}`;
  screen.write(`fault ${id} is on; take it away with: cox cluster fault remove ${id}${name}\n`);
}

export async function listFaults(name: string, screen: Screen): Promise<void> {
  const { items } = await ask<{ readonly items: readonly Told[] }>(name, 'GET', 'faults');
  screen.write(items.length === 0 ? 'no fault rules\n' : items.map(line).join(''));
}

export async function removeFault(name: string, id: string, screen: Screen): Promise<void> {
  if (!/^\d+$/.test(id)) throw new UsageError(`"${id}" is no fault: give a number of cox cluster fault list`);
  await ask(name, 'DELETE', `faults/${id}`);
  screen.write(`fault ${id} is gone\n`);
}

export async function clearFaults(name: string, screen: Screen): Promise<void> {
  const { removed } = await ask<{ readonly removed: number }>(name, 'DELETE', 'faults');
  screen.write(removed === 0 ? 'there were no fault rules\n' : `${removed} fault${removed === 1 ? '' : 's'} gone\n`);
}

export async function compactNow(name: string, screen: Screen): Promise<void> {
  const { revision } = await ask<{ readonly revision: number }>(name, 'POST', 'compact');
  screen.write(`compacted: revision ${revision} is the oldest now\n`);
}
