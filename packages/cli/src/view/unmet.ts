import { isWaitedFor } from './readiness.ts';
import type { TreeNode } from './tree.ts';

/** The last objects down the tree that are waited for: where the trouble is. */
function troubled(node: TreeNode): TreeNode[] {
  const below = node.children.flatMap(troubled);
  if (below.length > 0) return below;
  return isWaitedFor(node.readiness) ? [node] : [];
}

const atMost = 3;

/** `Pod/x: Unschedulable: 0/3 nodes are available …` */
function reasonLine({ label, readiness: { phase, reason, message } }: TreeNode): string {
  return [label, reason || phase, message].filter(Boolean).join(': ');
}

/** The unmet condition of an applied object, and indented below it where the trouble is. Empty when there is none. */
export function unmetLines(name: string, tree: TreeNode | undefined): string[] {
  if (!tree) return [`${name}: it does not exist any more`];
  const { condition, phase, reason } = tree.readiness;
  if (!isWaitedFor(tree.readiness)) return [];
  const first = condition
    ? `${name}: condition ${condition.type} is ${condition.status}: ${condition.reason}: ${condition.message}`
    : `${name}: ${phase}${reason ? `: ${reason}` : ''}`;
  const causes = tree.children.flatMap(troubled);
  const more = causes.length > atMost ? [`  … and ${causes.length - atMost} more`] : [];
  return [first, ...causes.slice(0, atMost).map((node) => `  ${reasonLine(node)}`), ...more];
}
