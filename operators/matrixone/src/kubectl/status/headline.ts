import { type ConditionNote, type Health, needsPerson, type StatusNode } from './node.ts';

/**
 * What the whole waits for, in one line: the first cause below the root, in the order in which a cluster comes up, and what is said of it.
 * A cluster that is ready may wait too: for a node that drains, say. `undefined` when nothing is waited for.
 */
export function headline(root: StatusNode): string | undefined {
  const path = causeIn(root);
  if (root.health === 'ok' && path.length === 0) return undefined;
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

/**
 * The way from the first child that is not well, or has something below it that is not, down to that. What needs a person goes before what
 * is on its way. A backup is nothing that a cluster waits for.
 */
function causeIn(node: StatusNode): readonly StatusNode[] {
  if (demandOf(node)) return [];
  const parts = node.children.filter(({ kind }) => kind !== 'BackupJob');
  const child = parts.find((part) => has(part, 'failed')) ?? parts.find((part) => has(part, 'waiting'));
  return child ? [child, ...causeIn(child)] : [];
}

/** Whether it is so with a node, or with something below it. */
function has(node: StatusNode, health: Health): boolean {
  return node.health === health || node.children.some((child) => has(child, health));
}
