/**
 * Programs written with the libraries of other languages, unmodified clients of the embedded cluster: `./cox test clients` builds those
 * whose toolchain is there. Operators are taken through the same life each; what goes over streams is tried by a program of its own.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PolicyRule } from '@coxswain/k8s';
import { grant, installCrds } from '@coxswain/runtime/apply';
import { kubectlFor, startCluster } from '@coxswain/testing';
import { Greeting } from './greeting.ts';
import { OperatorProcess } from './operator-process.ts';
import { isThere, type Peer, peers, streamPeer } from './peers.ts';
import { steps, user } from './steps.ts';
import { playStreams } from './streams.ts';

/** What any of the operators needs, and no more. */
const rules: readonly PolicyRule[] = [
  { apiGroups: [Greeting.group], resources: ['greetings', 'greetings/status', 'greetings/finalizers'], verbs: ['*'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['*'] },
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['list', 'watch'] },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['list', 'watch'] },
];

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Takes one operator through all steps; the first that fails is the last. @returns how many passed */
async function play(peer: Peer): Promise<number> {
  await using cluster = await startCluster({ port: 0 });
  await using kubectl = await kubectlFor(cluster.kubeconfig());
  await installCrds(cluster.client, [Greeting.crd()]);
  await grant(cluster.client, { name: 'peer', rules, user });
  await kubectl(['create', 'serviceaccount', 'peer']);
  const token = (await kubectl(['create', 'token', 'peer'])).trim();
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-peer-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigWith(cluster.kubeconfig(), token), { mode: 0o600 });
  const operator = new OperatorProcess(peer, kubeconfig);
  let passed = 0;
  try {
    operator.start();
    for (const step of steps) {
      await step.run({ cluster, operator });
      say(`pass ${peer.name}: ${step.name}`);
      passed++;
    }
  } catch (error) {
    say(`FAIL ${peer.name}: ${steps[passed]?.name}\n${error}\nit last said:\n${operator.said}`);
  } finally {
    await operator.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return passed;
}

/** The administrator's kubeconfig with another's token instead of the certificate. */
function kubeconfigWith(text: string, token: string): string {
  return text.replace(/^ {2}user:\n(?: {4}.*\n)+/m, `  user:\n    token: ${token}\n`);
}

interface Score {
  readonly passed: number;
  readonly failed: number;
}

async function playOperator(peer: Peer): Promise<Score> {
  const passed = await play(peer);
  return { passed, failed: steps.length - passed };
}

/** @returns the exit code: 0 when nothing failed. Without a toolchain a program is left out, and says so. */
export async function clients(args: readonly string[]): Promise<number> {
  const all = [...peers, streamPeer];
  const chosen = all.filter(({ name }) => args.length === 0 || args.includes(name));
  if (chosen.length === 0) {
    say(`there are: ${all.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  let passed = 0;
  let failed = 0;
  for (const peer of chosen) {
    if (!(await isThere(peer.toolchain))) {
      say(`SKIPPED ${peer.name}: no ${peer.toolchain} on PATH`);
      continue;
    }
    say(`building the program with ${peer.name}`);
    await peer.build();
    const score = await (peer === streamPeer ? playStreams(peer, say) : playOperator(peer));
    passed += score.passed;
    failed += score.failed;
  }
  say(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}
