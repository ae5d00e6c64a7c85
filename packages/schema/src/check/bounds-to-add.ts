import { validateRules } from '../cel/index.ts';
import type { FieldError, SchemaNode } from '../node.ts';

type Bound = 'maxItems' | 'maxProperties' | 'maxLength';

/** Small enough that what is bounded by it is no part of the trouble. */
const small = 4;
/** Strings of these formats are short by themselves. */
const shortFormats: readonly unknown[] = ['date', 'date-time', 'duration'];

/** Whether a rule, or all rules together, can cost more than the server allows. */
export function isTooExpensive({ message }: FieldError): boolean {
  return /exceeds budget|exceeding cost limit/.test(message);
}

/**
 * Which bounds are missing that a rule's cost is over the budget: those without which it still is when all others are there.
 * @param rule the field of the error
 * @returns as `spec.hosts[*]: maxLength`; empty when bounds do not help
 */
export function boundsToAdd(schema: SchemaNode, path: string, rule: string): readonly string[] {
  const place = rule.replace(/\.x-kubernetes-validations\[\d+\]\.\w+$/, '');
  const missing = [...unbounded(schema, path)].filter(({ at }) => isWithin(at, place) || isWithin(place, at));
  const exceeds = (left: string | undefined) =>
    validateRules(bounded(schema, path, left), path).some((error) => error.field === rule && isTooExpensive(error));
  if (missing.length === 0 || exceeds(undefined)) return [];
  const guilty = missing.filter(({ at }) => exceeds(at));
  return (guilty.length > 0 ? guilty : missing).map(({ at, bound }) => `${shown(at.slice(path.length))}: ${bound}`);
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(`${outer}.`);
}

function shown(path: string): string {
  return path
    .replaceAll(/\.properties\[([^\]]*)\]|\.(?:items|additionalProperties)(?=\.|$)/g, (_, name?: string) =>
      name === undefined ? '[*]' : `.${name}`,
    )
    .replace(/^\./, '');
}

function missingBound(node: SchemaNode): Bound | undefined {
  if (node.type === 'array') return node.maxItems === undefined ? 'maxItems' : undefined;
  if (node.type === 'object' && typeof node.additionalProperties === 'object')
    return node.maxProperties === undefined ? 'maxProperties' : undefined;
  if (node.type !== 'string' || node.enum !== undefined || shortFormats.includes(node.format)) return undefined;
  return node.maxLength === undefined ? 'maxLength' : undefined;
}

function* unbounded(node: SchemaNode, at: string): Iterable<{ readonly at: string; readonly bound: Bound }> {
  const bound = missingBound(node);
  if (bound) yield { at, bound };
  if (node.items) yield* unbounded(node.items, `${at}.items`);
  if (typeof node.additionalProperties === 'object')
    yield* unbounded(node.additionalProperties, `${at}.additionalProperties`);
  for (const [name, child] of Object.entries(node.properties ?? {}))
    yield* unbounded(child, `${at}.properties[${name}]`);
}

/** The schema with a small bound wherever one is missing, but at `left`. */
function bounded(node: SchemaNode, at: string, left: string | undefined): SchemaNode {
  const bound = at === left ? undefined : missingBound(node);
  const { items, additionalProperties, properties } = node;
  return {
    ...node,
    ...(bound && { [bound]: small }),
    ...(items && { items: bounded(items, `${at}.items`, left) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: bounded(additionalProperties, `${at}.additionalProperties`, left),
    }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, child]) => [name, bounded(child, `${at}.properties[${name}]`, left)]),
      ),
    }),
  };
}
