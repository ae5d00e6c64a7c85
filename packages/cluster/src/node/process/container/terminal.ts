import type { Clock } from '@coxswain/runtime/core';
import type { TerminalSize } from '../../../apiserver/streams.ts';
import type { Machine } from '../machine/machine.ts';
import { runTool } from '../machine/run-tool.ts';
import { childrenOf } from './process-tree.ts';

/**
 * Makes a terminal as large as its client's is, as long as that tells.
 * @param holder the process that holds the terminal; its one child runs on it
 */
export async function followSizes(
  { machine, clock }: { readonly machine: Machine; readonly clock: Clock },
  holder: number,
  sizes: AsyncIterable<TerminalSize>,
  signal: AbortSignal,
): Promise<void> {
  const { tools } = machine;
  if (!tools.has('stty')) return;
  try {
    for await (const { width, height } of sizes) {
      if (signal.aborted) return;
      const [program] = childrenOf(holder);
      if (program === undefined || width === 0 || height === 0) continue;
      const place = `/proc/${program}/fd/0`;
      await runTool([tools.path('stty'), '-F', place, 'cols', String(width), 'rows', String(height)], {
        clock,
        timeout: 2_000,
      });
    }
  } catch {
    // The program has ended, or has no terminal any more: its size does not matter.
  }
}
