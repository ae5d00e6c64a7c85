/** Starts one of everything that suites start, says the process ids, and never ends by itself: `node test-parent.ts`. */
import { systemClock } from '@coxswain/runtime/core';
import { startChild } from '../control-plane/child.ts';
import { startProgram } from '../faults/process.ts';

const server = startProgram('server-program.ts', [process.argv[2] ?? '', '0']);
await server.said(({ report }) => report === 'ready' || undefined);
const child = startChild(systemClock, 'sleep', 'sleep', ['1000']);
process.stdout.write(`${JSON.stringify([server.pid, child.pid])}\n`);
