import type { MutableJson } from '@coxswain/k8s';
import { parseSelector } from '@coxswain/runtime/core';
import { compileSchema, type SchemaNode } from '@coxswain/schema';
import type { Stage } from './stage.ts';

type Properties = Readonly<Record<string, SchemaNode>>;

const object = (properties: Properties): SchemaNode => ({ type: 'object', properties });
const text: SchemaNode = { type: 'string' };
const milliseconds: SchemaNode = { type: 'number', minimum: 0 };
const timed = (properties: Properties) => object({ delay: milliseconds, jitter: milliseconds, ...properties });
const code: SchemaNode = { type: 'integer', minimum: 0, maximum: 255 };
const probe = object({ from: milliseconds, for: milliseconds, every: { type: 'number', minimum: 1 } });
/** A text or a list of them: checked by hand, as a schema has no word for it. */
const pattern: SchemaNode = { 'x-kubernetes-preserve-unknown-fields': true };
const patterns = ['namespace', 'pod', 'container', 'image', 'node'];

const stage = object({
  match: object({ ...Object.fromEntries(patterns.map((name) => [name, pattern])), labels: text }),
  when: object({
    times: { type: 'integer', minimum: 1 },
    probability: { type: 'number', minimum: 0, maximum: 1 },
  }),
  pull: timed({ error: text }),
  start: timed({ error: text }),
  exit: timed({ code, reason: text }),
  stop: timed({ code, deaf: { type: 'boolean' } }),
  probes: object({ startup: probe, liveness: probe, readiness: probe }),
});
const schema = compileSchema(object({ stages: { type: 'array', items: stage } }));

const isPattern = (value: unknown) =>
  typeof value === 'string' ||
  (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string'));

function* matchProblems({ match = {} }: Stage, field: string): Iterable<string> {
  for (const [name, value] of Object.entries(match))
    if (name !== 'labels' && !isPattern(value)) yield `${field}.match.${name}: must be a text or a list of texts`;
  try {
    if (match.labels !== undefined) parseSelector(match.labels);
  } catch (error) {
    yield `${field}.match.labels: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** @throws Error that says what is wrong with which stage */
export function checkStages(stages: readonly Stage[]): void {
  const document = { stages: structuredClone(stages) };
  const wrong = schema.validate(document).map(({ field, message }) => `${field}: ${message}`);
  const unknown = wrong.length > 0 ? [] : schema.prune(document as unknown as MutableJson, { resource: false });
  const problems = [
    ...wrong,
    ...unknown.map((field) => `${field}: there is no such field`),
    ...(wrong.length > 0 ? [] : stages.flatMap((one, i) => [...matchProblems(one, `stages[${i}]`)])),
  ];
  if (problems.length > 0) throw new Error(`the stages cannot be used: ${problems.join('; ')}`);
}
