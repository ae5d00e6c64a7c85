import { installCrds } from '@coxswain/runtime/apply';
import { createClient, defaultConnection, httpTransport } from '@coxswain/runtime/client';
import { jsonLogger } from '@coxswain/runtime/core';
import { createManager, runUntilSignal } from '@coxswain/runtime/manager';
import { Greeting, greetings } from './first-operator.ts';

const log = jsonLogger({ write: (line) => process.stderr.write(line) });

async function setUp() {
  const transport = httpTransport(await defaultConnection({ env: process.env }));
  const client = createClient({ transport, fieldManager: 'greetings' });
  await installCrds(client, [Greeting.crd()]);
  const manager = createManager({ client, name: 'greetings', log });
  greetings(manager);
  return manager;
}

await runUntilSignal(setUp, { log, onRunning: () => log.info({}, 'greeting') });
