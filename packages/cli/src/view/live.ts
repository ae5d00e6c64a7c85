import { fit } from './fit.ts';
import { flatten, renderTree, type TreeNode } from './tree.ts';

/** Where a live view writes. */
export interface Screen {
  readonly isTTY: boolean;
  readonly rows: number;
  readonly columns: number;
  write(text: string): void;
}

/** Shows trees as they change: on a terminal in place until it is settled; elsewhere, and from then on, one line per change. */
export interface LiveView {
  show(trees: readonly TreeNode[]): void;
  /** Leaves the picture as it is, whole, and writes `text` below it. Later changes come as lines below that. */
  settle(text: string): void;
}

function redrawing(screen: Screen): LiveView {
  let drawn: readonly string[] = [];
  let last: readonly TreeNode[] = [];
  /** To the top of what is drawn. A terminal that was made narrower has folded its lines. */
  const erase = () => {
    const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / screen.columns)), 0);
    return `${rows > 0 ? `\u001b[${Math.min(rows, screen.rows - 1)}A` : ''}\r\u001b[J`;
  };
  return {
    show(trees) {
      last = trees;
      // a line that folds would be two to go up over
      const lines = fit(trees, Math.max(1, screen.rows - 2)).map((line) => line.slice(0, screen.columns - 1));
      screen.write(`${erase()}${lines.join('\n')}\n`);
      drawn = lines;
    },
    settle(text) {
      const lines = renderTree(last);
      screen.write(`${erase()}${lines.map((line) => `${line}\n`).join('')}${text}`);
      drawn = [];
    },
  };
}

function lineByLine(screen: Screen, elapsed: () => string, start: readonly TreeNode[] = []): LiveView {
  let before = flatten(start);
  return {
    show(trees) {
      const now = flatten(trees);
      for (const [label, state] of now)
        if (before.get(label) !== state) screen.write(`${elapsed()}  ${label}  ${state}\n`);
      for (const label of before.keys()) if (!now.has(label)) screen.write(`${elapsed()}  ${label}  gone\n`);
      before = now;
    },
    settle: (text) => screen.write(text),
  };
}

/** A picture that is redrawn until it is settled, and lines from then on. */
function onTerminal(screen: Screen, elapsed: () => string): LiveView {
  let view = redrawing(screen);
  let last: readonly TreeNode[] = [];
  let settled = false;
  return {
    show(trees) {
      last = trees;
      view.show(trees);
    },
    settle(text) {
      view.settle(text);
      if (!settled) view = lineByLine(screen, elapsed, last);
      settled = true;
    },
  };
}

/** @param elapsed the time since the start, as text, for the lines */
export function liveView(screen: Screen, elapsed: () => string): LiveView {
  return screen.isTTY ? onTerminal(screen, elapsed) : lineByLine(screen, elapsed);
}
