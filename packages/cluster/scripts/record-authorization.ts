/**
 * Asks the real API server all questions of `authorization/test-questions.ts` and writes its answers:
 * `node record-authorization.ts`. Needs the programs of a control plane (see packages/testing).
 */
import { writeFileSync } from 'node:fs';
import { startControlPlane } from '@coxswain/testing';
import { asker, normalised } from '../src/apiserver/authorization/test-ask.ts';
import { questions } from '../src/apiserver/authorization/test-questions.ts';
import { setup } from '../src/apiserver/authorization/test-setup.ts';

await using plane = await startControlPlane();
const ask = asker(plane.kubeconfig());
for (const step of setup) {
  const { code, body } = await ask(step);
  if (code !== 201) throw new Error(`${step.path}: ${code} ${JSON.stringify(body)}`);
}
const answers: string[] = [];
for (const step of questions) answers.push(JSON.stringify(normalised(await ask(step))));
const file = new URL('../src/apiserver/authorization/fixtures/answers.json', import.meta.url);
writeFileSync(file, `[\n${answers.join(',\n')}\n]\n`);
