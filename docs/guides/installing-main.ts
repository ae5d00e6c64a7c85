import { createClient, defaultConnection, httpTransport } from '@coxswain/runtime/client';
import { jsonLogger } from '@coxswain/runtime/core';
import { runUntilSignal } from '@coxswain/runtime/manager';
import { manifests, setUp } from './installing.ts';

const [verb, image = 'demo:latest'] = process.argv.slice(2);
if (verb === 'manifests') {
  const list = { apiVersion: 'v1', kind: 'List', items: manifests(image) };
  process.stdout.write(`${JSON.stringify(list, undefined, 2)}\n`);
} else {
  const log = jsonLogger({ write: (line) => process.stderr.write(line) });
  await runUntilSignal(
    async () => {
      const transport = httpTransport(await defaultConnection({ env: process.env }));
      const client = createClient({ transport, fieldManager: 'demo' });
      return setUp(client, { log, port: 9443, healthPort: 8081 }).manager;
    },
    { log },
  );
}
