/**
 * Plays the admission cases against a real etcd and kube-apiserver and records what came of them, as fixtures for
 * `admission/recorded.test.ts`.
 *
 *   node packages/cluster/scripts/record-admission.ts
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startControlPlane } from '../../testing/src/control-plane/index.ts';
import { cases } from '../src/apiserver/admission/test/cases.ts';
import { startHookServer } from '../src/apiserver/admission/test/hook-server.ts';
import { play } from '../src/apiserver/admission/test/play.ts';

/** Milliseconds in which a real server notices a new configuration. */
const patience = 600;

await using control = await startControlPlane();
await using hooks = await startHookServer();
const settle = () => new Promise<void>((resolve) => setTimeout(resolve, patience));
const recorded: Record<string, unknown> = {};
for (const one of cases) {
  recorded[one.title] = await play(one, control.transport, hooks, settle);
  process.stdout.write(`${one.title}\n`);
}
const out = join(import.meta.dirname, '../src/apiserver/admission/fixtures/recorded.json');
writeFileSync(out, `${JSON.stringify(recorded, undefined, 1)}\n`);
