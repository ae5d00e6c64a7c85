import type { KubeObject } from '@coxswain/k8s';
import { isWaitedFor, type Readiness, readinessOf } from './readiness.ts';

/** One object in the picture, with the objects it owns below it. */
export interface TreeNode {
  /** `LogSet/mo` */
  readonly label: string;
  readonly readiness: Readiness;
  readonly children: readonly TreeNode[];
}

function label(object: KubeObject): string {
  return `${object.kind ?? 'Object'}/${object.metadata.name}`;
}

/** The order people read: what is needed first comes first, as it was created; then by name. */
function byAge(a: KubeObject, b: KubeObject): number {
  const age = (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '');
  return age || a.metadata.name.localeCompare(b.metadata.name, 'en', { numeric: true });
}

/**
 * Builds the trees below `roots` from `objects` by their controlling owners.
 * @param expectsCondition whether an object's kind belongs to an operator (see {@link readinessOf})
 */
export function buildTree(
  roots: readonly KubeObject[],
  objects: Iterable<KubeObject>,
  expectsCondition: (object: KubeObject) => boolean,
): TreeNode[] {
  const byOwner = new Map<string, KubeObject[]>();
  for (const object of objects) {
    const owner = object.metadata.ownerReferences?.find((reference) => reference.controller);
    if (!owner) continue;
    const siblings = byOwner.get(owner.uid);
    if (siblings) siblings.push(object);
    else byOwner.set(owner.uid, [object]);
  }
  const node = (object: KubeObject): TreeNode => ({
    label: label(object),
    readiness: readinessOf(object, expectsCondition(object)),
    children: [...(byOwner.get(object.metadata.uid ?? '') ?? [])].sort(byAge).map(node),
  });
  return roots.map(node);
}

function describe({ phase, reason }: Readiness): string {
  return reason ? `${phase} (${reason})` : phase;
}

/** Whether nothing at or below a node is waited for. */
export function isSettled(node: TreeNode): boolean {
  return !isWaitedFor(node.readiness) && node.children.every(isSettled);
}

/** `●` ready, `○` not yet, `·` nobody here will tell. */
function mark({ ready, unknown }: Readiness): string {
  if (unknown) return '·';
  return ready ? '●' : '○';
}

/** The trees as lines of text: branches, name, phase and reason in a column of their own. */
export function renderTree(trees: readonly TreeNode[]): string[] {
  const rows: { text: string; state: string; mark: string }[] = [];
  const visit = (node: TreeNode, lead: string, branch: string, below: string) => {
    rows.push({ text: `${lead}${branch}${node.label}`, state: describe(node.readiness), mark: mark(node.readiness) });
    node.children.forEach((child, i) => {
      const last = i === node.children.length - 1;
      visit(child, lead + below, last ? '└─ ' : '├─ ', last ? '   ' : '│  ');
    });
  };
  for (const tree of trees) visit(tree, '', '', '');
  const width = Math.max(0, ...rows.map((row) => row.text.length));
  return rows.map((row) => `${row.mark} ${row.text.padEnd(width)}  ${row.state}`);
}

/** `label → state` of every node: what changed between two pictures is what to print. */
export function flatten(trees: readonly TreeNode[]): Map<string, string> {
  const states = new Map<string, string>();
  const visit = (node: TreeNode) => {
    states.set(node.label, describe(node.readiness));
    node.children.forEach(visit);
  };
  trees.forEach(visit);
  return states;
}
