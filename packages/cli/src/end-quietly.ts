import { codeOf } from './errors.ts';

/**
 * When nobody reads `output` any more (`cox up | head -1`), the command ends as by a signal: what runs is stopped in order, and nothing
 * is said of it. Other errors of the stream are thrown.
 */
export function endQuietly(output: NodeJS.WriteStream): void {
  let over = false;
  output.on('error', (error) => {
    if (codeOf(error) !== 'EPIPE') throw error;
    if (over) return;
    over = true;
    if (process.listenerCount('SIGTERM') > 0) process.emit('SIGTERM', 'SIGTERM');
    else process.exit(0);
  });
}
