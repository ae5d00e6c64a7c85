// An embedded server as a process: `node server-program.ts DATA_DIR PORT`. Writes a kubeconfig into the data directory, then says so.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startCluster } from '@coxswain/cluster';

const [dataDir = '', port = '0'] = process.argv.slice(2);
const cluster = await startCluster({
  dataDir: join(dataDir, 'state'),
  port: Number(port),
  controlPlane: false,
  kruise: false,
});
await writeFile(join(dataDir, 'kubeconfig'), cluster.kubeconfig(), { mode: 0o600 });
process.stdout.write('{"report":"ready"}\n');
// It is nobody's when who started it has gone.
process.stdin.resume().once('end', () => process.exit(1));
process.once('SIGTERM', async () => {
  await cluster.stop();
  process.exit(0);
});
