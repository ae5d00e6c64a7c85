import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Ends a stream so that its other side knows that something broke. */
export function cut(stream: Duplex): void {
  if (stream.destroyed) return;
  if (stream instanceof Socket && stream.remoteAddress !== undefined) stream.resetAndDestroy();
  else stream.destroy();
}

/**
 * Joins two connections: bytes, back-pressure and half-closed ends go both ways, and what breaks on one side is broken on the other.
 * Resolves when both are closed. Either must allow half-open ends.
 */
export function splice(left: Duplex, right: Duplex): Promise<void> {
  return new Promise((resolve) => {
    let open = 2;
    const join = (from: Duplex, to: Duplex) => {
      from.pipe(to);
      from.once('error', () => cut(to));
      const closed = () => {
        if (!from.readableEnded) cut(to);
        if (--open === 0) resolve();
      };
      if (from.destroyed) closed();
      else from.once('close', closed);
    };
    join(left, right);
    join(right, left);
  });
}
