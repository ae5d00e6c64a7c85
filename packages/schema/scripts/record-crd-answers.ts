/**
 * Creates the definitions of `check/test/crd-cases.ts` on a real kube-apiserver (dry run) and records what it says against each, as a
 * fixture for `check/server-answers.test.ts`.
 *
 *   node packages/schema/scripts/record-crd-answers.ts
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startControlPlane } from '../../testing/src/control-plane/index.ts';
import { askCrd } from '../../testing/src/framework/ask-crd.ts';
import { crdCases } from '../src/check/test/crd-cases.ts';

await using plane = await startControlPlane();
const answers: Record<string, readonly string[]> = {};
for (const one of crdCases) answers[one.name] = await askCrd(plane.client, one, 'check.test.dev');
const file = join(import.meta.dirname, '../src/check/fixtures/server-answers.json');
writeFileSync(file, `${JSON.stringify(answers, undefined, 1)}\n`);
process.stdout.write(`${crdCases.length} definitions\n`);
