/**
 * `./cox test conformance [--tier a|b] [--procs N] [--clusters N] [PART …]`: the conformance tests of Kubernetes, built from its own sources,
 * against embedded clusters, each with its share of them: what must be alone on a cluster is alone on one of several. With PARTs only the tests
 * whose name contains one of them.
 */

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildGoPrograms, GoMissingError, goProgramPath, startCluster, toolPath } from '@coxswain/testing';
import {
  knownCause,
  resultsOf,
  type TestResult,
  type Tier,
  testsOf,
} from '../packages/cluster/src/conformance/index.ts';
import { run } from './run.ts';

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const usage = 'usage: ./cox test conformance [--tier a|b] [--procs N] [--clusters N] [PART ...]';

/** Go's regular expressions, which are what a focus is. */
function quoted(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
}

/** Runs the tests; the programs are there. */
async function results(tests: readonly string[], procs: string, folder: string): Promise<TestResult[]> {
  // On a real node pods take a moment to end; some tests look at one that is going.
  const stages = [{ stop: { delay: 500 } }];
  await using cluster = await startCluster({ port: 0, nodes: 2, stages });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, cluster.kubeconfig(), { mode: 0o600 });
  const kubectl = await toolPath('kubectl');
  const report = join(folder, 'report.json');
  await run(goProgramPath('ginkgo'), [
    `--procs=${procs}`,
    '--no-color',
    '--timeout=60m',
    `--focus=${tests.map(quoted).join('|')}`,
    `--output-dir=${folder}`,
    '--json-report=report.json',
    '--silence-skips',
    goProgramPath('e2e.test'),
    '--',
    `--kubeconfig=${kubeconfig}`,
    '--provider=skeleton',
    `--kubectl-path=${kubectl}`,
    '--minStartupPods=-1',
    '--allowed-not-ready-nodes=-1',
    '--disable-log-dump',
  ]);
  return resultsOf(await readFile(report, 'utf8'));
}

/** Deals the tests out to as many clusters as there are to be, and plays them all at once. */
async function resultsOfAll(
  { tests, procs, clusters }: { readonly tests: readonly string[]; readonly procs: string; readonly clusters: number },
  folder: string,
): Promise<TestResult[]> {
  const shares = Array.from({ length: clusters }, (_, share) =>
    tests.filter((_test, index) => index % clusters === share),
  );
  const all = await Promise.all(
    shares
      .filter((share) => share.length > 0)
      .map(async (share, index) => {
        const own = join(folder, String(index));
        await mkdir(own);
        return results(share, procs, own);
      }),
  );
  return all.flat();
}

/** The table of what failed. @returns how many failures are news */
function tell(all: readonly TestResult[]): number {
  const failed = all.filter(({ passed }) => !passed);
  for (const { name, message = '' } of failed) {
    const cause = knownCause(name);
    say(`${cause ? 'known' : 'FAIL '} ${name}\n      ${cause ?? message}`);
  }
  for (const { name } of all.filter(({ name, passed }) => passed && knownCause(name))) say(`mended: ${name}`);
  return failed.filter(({ name }) => !knownCause(name)).length;
}

function parsed(args: readonly string[]): { tests: readonly string[]; procs: string; clusters: number } | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        tier: { type: 'string', default: 'a' },
        procs: { type: 'string', default: '4' },
        clusters: { type: 'string', default: '1' },
      },
      allowPositionals: true,
    });
    const { tier, procs, clusters } = values;
    const small = /^[1-9]\d?$/;
    if ((tier !== 'a' && tier !== 'b') || !small.test(procs) || !small.test(clusters)) return undefined;
    const tests = testsOf(tier satisfies Tier);
    return {
      tests: positionals.length === 0 ? tests : tests.filter((name) => positionals.some((part) => name.includes(part))),
      procs,
      clusters: Number(clusters),
    };
  } catch {
    return undefined;
  }
}

/** @returns the exit code: 0 when no test failed but those that are known to, or when there is no Go to build them with */
export async function conformance(args: readonly string[]): Promise<number> {
  const wanted = parsed(args);
  if (!wanted || wanted.tests.length === 0) {
    say(wanted ? 'no test has such a name' : usage);
    return 2;
  }
  try {
    await buildGoPrograms(['ginkgo', 'e2e.test'], say);
  } catch (error) {
    if (!(error instanceof GoMissingError)) throw error;
    say(`SKIPPED, nothing was tested: ${error.message}`);
    return 0;
  }
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-conformance-'));
  try {
    const all = await resultsOfAll(wanted, folder);
    const news = tell(all);
    const passed = all.filter((result) => result.passed).length;
    say(`${passed} passed, ${wanted.tests.length - passed} failed`);
    return news === 0 && all.length === wanted.tests.length ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
