/** A cluster's process for tests, which ends only when it is killed: it runs one container, and says its folder and what the container logged. */
import { mkdir } from 'node:fs/promises';
import { testRuntime } from './test-pod.ts';

const [dataDir = '', isolation = 'best'] = process.argv.slice(2);
await mkdir(dataDir, { recursive: true });
const { pod } = await testRuntime({ dataDir, isolation: isolation === 'none' ? 'none' : 'best' });
const script = 'trap "" TERM HUP INT; (trap "" TERM HUP INT; sleep 7654321) & sleep 7654321 & echo "as $(id -u)"; wait';
const { run } = await pod([{ command: ['sh', '-c', script] }]);
const { logged, log, container } = await run();
await logged('as ');
process.stdout.write(`${(await log()).trim()}, ${container.id}\n`);
setInterval(() => {}, 1_000_000);
