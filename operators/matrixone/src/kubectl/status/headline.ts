import { type ConditionNote, needsPerson, type StatusNode } from './node.ts';

/**
 * What the whole waits for, in one line: the first cause below the root, in the order in which a cluster comes up, and what is said of it.
 * `undefined` when nothing is waited for.
 */
export function headline(root: StatusNode): string | undefined {
  if (root.health === 'ok' || root.health === 'info') return undefined;
  const path = causeIn(root);
  const cause = path.at(-1) ?? root;
  const where = path.map(({ kind, name }) => `${kind} ${name}`);
  const why = demandOf(cause)?.message || cause.conditions.find(isCurrent)?.message || cause.summary;
  return [...where.slice(-2), why].join(': ');
}

function isCurrent({ outdated }: ConditionNote): boolean {
  return !outdated;
}

/** What is asked of a person; that is a cause, whatever is below it. */
function demandOf({ conditions }: StatusNode): ConditionNote | undefined {
  return conditions.find((note) => isCurrent(note) && needsPerson(note));
}

/** The way from the first child that is not well down to where it is not. What needs a person goes before what is on its way. */
function causeIn(node: StatusNode): readonly StatusNode[] {
  if (demandOf(node)) return [];
  const child =
    node.children.find(({ health }) => health === 'failed') ?? node.children.find(({ health }) => health === 'waiting');
  return child ? [child, ...causeIn(child)] : [];
}
