/** `cmdrest -- LINE`: runs a line of the shell, and tells at `GET :8080/status` how it goes, also when it is over. */
import { ownAddress } from '../matrixone/nodes/own-address.ts';
import { serveStatus } from './serve-status.ts';

const port = 8080;
const separator = process.argv.indexOf('--');
const line = separator < 0 ? '' : process.argv.slice(separator + 1).join(' ');
if (line === '') {
  process.stderr.write('usage: cmdrest -- LINE\n');
  process.exit(2);
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
await serveStatus(line, { host: await ownAddress({}), port, echo: process.stdout });
