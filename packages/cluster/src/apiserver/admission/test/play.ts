import type { DynamicObject, Status } from '@coxswain/k8s';
import type { Transport, TransportRequest } from '@coxswain/runtime/client';
import { ApiError } from '@coxswain/runtime/core';
import type { Case, Step } from './cases.ts';
import type { Call } from './hook-answers.ts';
import type { HookServer } from './hook-server.ts';

/** What came of one step. */
export interface Outcome {
  readonly code: number;
  readonly status?: unknown;
  readonly object?: unknown;
  readonly warnings?: readonly string[];
  readonly calls?: readonly unknown[];
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read without types
type Loose = any;

/** What is compared of an object. */
function shown({ metadata, data, spec, status }: Loose): object {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const { labels, annotations, ownerReferences } = metadata ?? {};
  const fields = {
    labels,
    annotations,
    ownerReferences,
    data,
    resources: containers.map(({ resources }: Loose) => resources),
    used: status?.used,
  };
  return JSON.parse(JSON.stringify(fields));
}

/** Fills in where the webhooks are, or takes it out. */
export interface Places {
  fill(value: unknown): unknown;
  hide<T>(value: T): T;
}

export function placesOf(hooks: HookServer): Places {
  const pairs: readonly (readonly [string, string])[] = [
    ['HOOKS', hooks.url],
    ['CA_BUNDLE', hooks.caBundle],
  ];
  return {
    fill: (value) => JSON.parse(pairs.reduce((text, [name, to]) => text.replaceAll(name, to), JSON.stringify(value))),
    hide: (value) =>
      JSON.parse(
        JSON.stringify(value)
          .replaceAll(hooks.url, 'HOOKS')
          .replaceAll(`127.0.0.1:${hooks.port}`, 'HOOK_ADDRESS')
          .replaceAll(/gen-[a-z0-9]{5}/g, 'gen-XXXXX')
          .replaceAll(/response\.uid=\\"[-0-9a-f]{36}/g, 'response.uid=\\"UID'),
      ),
  };
}

async function send(transport: Transport, { method, path, query, body, type }: Step): Promise<Outcome> {
  const request: TransportRequest = {
    method,
    path,
    ...(query ? { query } : {}),
    ...(body === undefined ? {} : { body }),
    ...(type ? { contentType: type } : {}),
  };
  try {
    const answer = await transport.send(request);
    const object = shown(answer.body as DynamicObject);
    return { code: answer.status, object, ...(answer.warnings.length > 0 ? { warnings: answer.warnings } : {}) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { metadata: _metadata, ...status } = error.status as Status & { readonly metadata?: unknown };
    return { code: error.code, status };
  }
}

/** Validating webhooks are called at once, so that theirs come in any order. */
function inOrder(calls: readonly Call[]): readonly Call[] {
  const changes = ({ path }: Call) => /^\/(trace|label)/.test(path);
  const others = calls.filter((call) => !changes(call)).sort((a, b) => (a.path < b.path ? -1 : 1));
  return [...calls.filter(changes), ...others];
}

/** Plays the steps of a case in order. `settle` waits until a server has noticed what was configured. */
export async function play(
  { steps }: Case,
  transport: Transport,
  hooks: HookServer,
  settle: (step: Step) => Promise<void>,
): Promise<readonly Outcome[]> {
  const places = placesOf(hooks);
  const outcomes: Outcome[] = [];
  for (const step of steps) {
    const outcome = await send(transport, { ...step, body: step.body && places.fill(step.body) } as Step);
    const calls = inOrder(hooks.calls());
    if (step.configures) {
      if (outcome.code > 299) throw new Error(`${step.path}: ${JSON.stringify(outcome)}`);
      await settle(step);
    } else outcomes.push(places.hide({ ...outcome, ...(calls.length > 0 ? { calls } : {}) }));
  }
  return outcomes;
}
