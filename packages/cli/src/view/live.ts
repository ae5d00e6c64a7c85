import { flatten, renderTree, type TreeNode } from './tree.ts';

/** Where a live view writes. */
export interface Screen {
  readonly isTTY: boolean;
  readonly rows: number;
  readonly columns: number;
  write(text: string): void;
}

/** Shows trees as they change: on a terminal in place, elsewhere one line per change. */
export interface LiveView {
  show(trees: readonly TreeNode[]): void;
}

function redrawing(screen: Screen): LiveView {
  let drawn = 0;
  return {
    show(trees) {
      const all = renderTree(trees);
      const lines = all.slice(0, Math.max(1, screen.rows - 2));
      if (lines.length < all.length) lines[lines.length - 1] = `  … ${all.length - lines.length + 1} more`;
      // a line that wraps would be two to go up over
      const shown = lines.map((line) => line.slice(0, screen.columns - 1));
      const up = drawn > 0 ? `\u001b[${drawn}A` : '';
      screen.write(`${up}\r\u001b[J${shown.join('\n')}\n`);
      drawn = shown.length;
    },
  };
}

function lineByLine(screen: Screen, elapsed: () => string): LiveView {
  let before = new Map<string, string>();
  return {
    show(trees) {
      const now = flatten(trees);
      for (const [label, state] of now)
        if (before.get(label) !== state) screen.write(`${elapsed()}  ${label}  ${state}\n`);
      for (const label of before.keys()) if (!now.has(label)) screen.write(`${elapsed()}  ${label}  gone\n`);
      before = now;
    },
  };
}

/** @param elapsed the time since the start, as text, for the lines */
export function liveView(screen: Screen, elapsed: () => string): LiveView {
  return screen.isTTY ? redrawing(screen) : lineByLine(screen, elapsed);
}
