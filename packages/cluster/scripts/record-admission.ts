/**
 * Plays the admission cases against a real etcd and kube-apiserver and records what came of them, as fixtures for
 * `admission/recorded.test.ts`.
 *
 *   node packages/cluster/scripts/record-admission.ts [PREFIX]
 *
 * With a prefix only the cases whose titles begin with it are played; what was recorded of the others stays.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startControlPlane } from '../../testing/src/control-plane/index.ts';
import { cases, type Step } from '../src/apiserver/admission/test/cases.ts';
import { startHookServer } from '../src/apiserver/admission/test/hook-server.ts';
import { play } from '../src/apiserver/admission/test/play.ts';

/** Milliseconds in which a real server notices a new configuration; for policies it looks once a second. */
const patience = (path: string): number => (path.includes('policies') || path.includes('policybindings') ? 2_500 : 600);

await using control = await startControlPlane();
await using hooks = await startHookServer();
const settle = ({ path }: Step) => new Promise<void>((resolve) => setTimeout(resolve, patience(path)));
const out = join(import.meta.dirname, '../src/apiserver/admission/fixtures/recorded.json');
const [, , prefix = ''] = process.argv;
const recorded: Record<string, unknown> = prefix === '' ? {} : JSON.parse(readFileSync(out, 'utf8'));
for (const one of cases.filter(({ title }) => title.startsWith(prefix))) {
  recorded[one.title] = await play(one, control.transport, hooks, settle);
  process.stdout.write(`${one.title}\n`);
}
writeFileSync(out, `${JSON.stringify(recorded, undefined, 1)}\n`);
