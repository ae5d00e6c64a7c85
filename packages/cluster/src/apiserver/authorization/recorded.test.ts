import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCluster } from '../../start-cluster.ts';
import type { Cluster } from '../../types.ts';
import answers from './fixtures/answers.json' with { type: 'json' };
import { type Answer, asker, normalised } from './test-ask.ts';
import { questions } from './test-questions.ts';
import { type Step, setup } from './test-setup.ts';

let cluster: Cluster;
let ask: (step: Step) => Promise<Answer>;

beforeAll(async () => {
  cluster = await startCluster({ port: 0, controlPlane: false });
  ask = asker(cluster.kubeconfig());
  for (const step of setup) expect((await ask(step)).code, step.path).toBe(201);
});
afterAll(() => cluster?.stop());

const title = ({ method, path, body, as }: Step) =>
  `${as?.user ?? 'admin'}: ${method} ${path} ${JSON.stringify((body as { spec?: unknown })?.spec ?? '')}`;

it.each(questions.map((step, index) => ({ name: title(step), step, answer: answers[index] })))(
  '$name',
  async ({ step, answer }) => {
    expect(normalised(await ask(step))).toEqual(normalised(answer));
  },
);
