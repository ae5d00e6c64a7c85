import { isSettled, renderTree, type TreeNode } from './tree.ts';

function size(node: TreeNode): number {
  return node.children.reduce((sum, child) => sum + size(child), 1);
}

/** What is ready, with all below it, as one line that says how many it stands for. */
function folded(node: TreeNode): TreeNode {
  if (!isSettled(node)) return { ...node, children: node.children.map(folded) };
  const below = size(node) - 1;
  return below === 0 ? node : { ...node, label: `${node.label} (+${below})`, children: [] };
}

/** Only what is not ready yet, and what it belongs to. */
function pending(nodes: readonly TreeNode[]): TreeNode[] {
  return nodes.filter((node) => !isSettled(node)).map((node) => ({ ...node, children: pending(node.children) }));
}

/**
 * The trees in at most `rows` lines: whole if they fit; else with what is ready folded; else without it; else what is not ready as far as
 * the room goes, and a last line with the number of what is left out.
 */
export function fit(trees: readonly TreeNode[], rows: number): string[] {
  const whole = renderTree(trees);
  if (whole.length <= rows) return whole;
  const short = renderTree(trees.map(folded));
  if (short.length <= rows) return short;
  const missing = renderTree(pending(trees));
  const lines = (missing.length > 0 ? missing : short).slice(0, Math.max(0, rows - 1));
  return [...lines, `  … ${whole.length - lines.length} more`];
}
