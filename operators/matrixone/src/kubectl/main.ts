#!/usr/bin/env node
/** `kubectl mo`, as a program. Ctrl-C ends it at once, as it ends kubectl: nothing it does has to be undone. */
import { runPlugin } from './run-plugin.ts';

const { stdout, stderr, env, argv } = process;
for (const output of [stdout, stderr])
  output.on('error', (error: NodeJS.ErrnoException) => {
    // nobody reads any more, as with `| head`: what it was about to do is not done
    if (error.code === 'EPIPE') process.exit(1);
    throw error;
  });

const isTTY = stdout.isTTY === true;
process.exitCode = await runPlugin({
  words: argv.slice(2),
  env,
  screen: {
    isTTY,
    colour: isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
    // a terminal that does not know its size says 0
    get rows() {
      return stdout.rows || 24;
    },
    get columns() {
      return stdout.columns || 80;
    },
    write: (text) => void stdout.write(text),
  },
  note: (line) => void stderr.write(`${line}\n`),
});
