import { installCrds } from '@coxswain/runtime/apply';
import { createClient, defaultConnection, httpTransport } from '@coxswain/runtime/client';
import { jsonLogger } from '@coxswain/runtime/core';
import { createManager, runUntilSignal } from '@coxswain/runtime/manager';
import { greeter } from './greeter.ts';

const log = jsonLogger({ write: (line) => process.stderr.write(line) });

async function setUp() {
  const transport = httpTransport(await defaultConnection({ env: process.env }));
  const client = createClient({ transport, fieldManager: greeter.name });
  await installCrds(client, greeter.crds());
  const manager = createManager({ client, name: greeter.name, log });
  greeter.setup(manager);
  return manager;
}

await runUntilSignal(setUp, { log });
