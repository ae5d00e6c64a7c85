import { Normaliser } from './normalise.ts';
import type { Action, Answer, Collect, FilledStep, Scenario, Step, Stream, Target } from './types.ts';
import { fillBody, fillPath, merged, partAt } from './variables.ts';

/** Steps that are left out, which no other step of the scenario may need. */
export type Skip = (action: Action, scenario: Scenario) => boolean;

const needsWire = (action: Action): boolean =>
  'method' in action && (action.raw !== undefined || action.headers !== undefined);

/** For targets without a wire: all of a scenario that somewhere needs one. */
export const skipWire: Skip = (_action, { steps }) => steps.some(needsWire);

/** For targets in real time: what takes seconds. */
export const skipSlow: Skip = (action) => 'method' in action && action.slow === true;

/** The namespace of a scenario. */
export function namespaceOf(area: string, index: number): string {
  return `d-${area}-${index}`;
}

/**
 * Plays a scenario in a namespace that is made for it.
 * @returns an answer a step; `undefined` where it was left out
 */
export async function play(
  scenario: Scenario,
  target: Target,
  namespace: string,
  skip: Skip = () => false,
): Promise<(Answer | undefined)[]> {
  await prepare(target, namespace);
  const player = new Player(target, namespace);
  const answers: (Answer | undefined)[] = [];
  for (const action of scenario.steps) {
    if (skip(action, scenario)) answers.push(undefined);
    else answers.push('collect' in action ? await player.collect(action) : await player.step(action));
  }
  await player.close();
  return answers;
}

/** False for the bookmarks that a server sends from time to time. */
function isNoReminder(event: unknown): boolean {
  if (partAt(event, 'type') !== 'BOOKMARK') return true;
  const annotations = partAt(event, 'object.metadata.annotations');
  return annotations !== undefined;
}

/** What controllers would bring into a namespace, so that pods can be made in it, and the embedded cluster's storage class. */
async function prepare(target: Target, namespace: string): Promise<void> {
  const post = (path: string, body: unknown) => target.send({ method: 'POST', path, body });
  await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await post(`/api/v1/namespaces/${namespace}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace },
  });
  await post('/apis/storage.k8s.io/v1/storageclasses', {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'coxswain.io/embedded',
    allowVolumeExpansion: true,
    volumeBindingMode: 'WaitForFirstConsumer',
  });
}

/** An answer without its headers and without what was stored; the message of a list of causes only repeats them. */
function verdictOf({ status, warnings, body }: Answer): Answer {
  const kept = (value: unknown) => ({ status, ...(warnings ? { warnings } : {}), body: value });
  if (status < 400) return kept('accepted');
  const reason = partAt(body, 'reason');
  const causes = partAt(body, 'details.causes');
  if (reason === 'Invalid' && causes !== undefined) return kept({ reason, causes });
  return kept({ reason, message: partAt(body, 'message'), ...(causes === undefined ? {} : { causes }) });
}

class Player {
  readonly #target: Target;
  readonly #normaliser = new Normaliser();
  readonly #variables = new Map<string, unknown>();
  readonly #streams = new Map<string, Stream>();

  constructor(target: Target, namespace: string) {
    this.#target = target;
    this.#variables.set('ns', namespace);
  }

  async step(step: Step): Promise<Answer> {
    const filled = this.#fill(step);
    if (step.stream !== undefined) {
      const { answer, stream } = await this.#target.open(filled);
      if (stream) this.#streams.set(step.stream, stream);
      return this.#normaliser.answer(answer);
    }
    const answer = await this.#target.send(filled);
    for (const [name, path] of Object.entries(step.save ?? {})) this.#variables.set(name, partAt(answer.body, path));
    const normal = this.#normaliser.answer(answer);
    return step.verdict ? verdictOf(normal) : normal;
  }

  async collect({ collect, events, toEnd = false }: Collect): Promise<Answer> {
    const stream = this.#streams.get(collect);
    this.#streams.delete(collect);
    if (!stream) return { status: 0, body: 'no such stream' };
    const all = await stream.take(events, toEnd);
    const taken = { ...all, events: all.events.filter(isNoReminder) };
    return { status: 0, body: this.#normaliser.value(toEnd ? taken : { events: taken.events }) };
  }

  /** Closes the streams that nobody collected. */
  async close(): Promise<void> {
    for (const stream of this.#streams.values()) await stream.take(0, false);
  }

  #fill({ base, save: _save, stream: _stream, verdict: _verdict, note: _note, ...step }: Step): FilledStep {
    const { body, raw, headers } = step;
    const start = base === undefined ? undefined : this.#variables.get(base);
    const filled = fillBody(body, this.#variables);
    const whole = base === undefined ? filled : merged(start, filled ?? {});
    return {
      ...step,
      path: fillPath(step.path, this.#variables),
      ...(headers === undefined ? {} : { headers: fillBody(headers, this.#variables) as NonNullable<Step['headers']> }),
      ...(raw === undefined ? {} : { raw: String(fillBody(`${raw} `, this.#variables)).slice(0, -1) }),
      ...(whole === undefined ? {} : { body: whole }),
    };
  }
}
