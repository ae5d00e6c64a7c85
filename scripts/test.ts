/**
 * `./cox test [FILTER …]`: lint, types and all tests; with filters only the tests that match.
 * The last line is `N passed, N failed`, counting each test and each check.
 * `./cox test differential|conformance|scenarios|real|clients|fuzz|models|lives|nemesis|framework|s3|faults|matrixone …`: suites of their own, with real programs; see the scripts of their name and bench/src/clients.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checks } from './checks.ts';
import { root, run } from './run.ts';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

interface Counts {
  passed: number;
  failed: number;
}

async function runChecks(counts: Counts): Promise<void> {
  for (const check of checks) {
    const pass = await check.pass();
    process.stdout.write(`${pass ? 'pass' : 'FAIL'} ${check.name}\n`);
    if (pass) counts.passed++;
    else counts.failed++;
  }
}

async function runTests(filters: readonly string[], counts: Counts): Promise<void> {
  const file = join(root, '.cox/test-report.json');
  await rm(file, { force: true });
  const code = await run('vitest', [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
    ...filters,
  ]);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) {
    counts.failed++;
    return;
  }
  const report = JSON.parse(text) as Report;
  // a file that cannot even be loaded has no tests in it: count it as one that failed
  const broken = report.testResults.filter(
    (result) => result.status === 'failed' && result.assertionResults.length === 0,
  );
  const failed = report.numFailedTests + broken.length;
  counts.passed += report.numPassedTests;
  // vitest also fails on errors outside any test
  counts.failed += failed === 0 && code !== 0 ? 1 : failed;
}

/** Which tests a verb stands for; `undefined` when it cannot be followed. */
async function pathsOf(verb: string, rest: readonly string[], filters: readonly string[]) {
  if (verb === 'framework') return (await import('./framework.ts')).frameworkPaths(rest);
  if (verb === 'matrixone') return (await import('./matrixone.ts')).matrixonePaths(rest);
  return verb === 's3' ? (await import('./s3.ts')).s3Paths(rest) : filters;
}

async function main(filters: readonly string[]): Promise<number> {
  const [verb = '', ...rest] = filters;
  if (verb === 'differential') return (await import('./differential.ts')).differential(rest);
  if (verb === 'conformance') return (await import('./conformance.ts')).conformance(rest);
  if (verb === 'scenarios') return (await import('./scenarios.ts')).scenarios(rest);
  if (verb === 'real') return (await import('./scenarios.ts')).real(rest);
  if (verb === 'fuzz') return (await import('./fuzz.ts')).fuzzing(rest);
  if (verb === 'models') return (await import('./models.ts')).models(rest);
  if (verb === 'lives') return (await import('./lives.ts')).livesUnderFaults(rest);
  if (verb === 'nemesis') return (await import('./nemesis.ts')).nemesis(rest);
  if (verb === 'faults') return (await import('./faults.ts')).faults(rest);
  if (verb === 'clients') return (await import('../bench/src/clients/index.ts')).clients(rest);
  if (verb === 'matrixone' && rest.includes('--real')) return (await import('./matrixone.ts')).matrixoneReal(rest);
  const counts: Counts = { passed: 0, failed: 0 };
  const paths = await pathsOf(verb, rest, filters);
  if (paths === undefined) return 2;
  if (paths.length === 0) await runChecks(counts);
  await runTests(paths, counts);
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
  return counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}

const help = `usage: ./cox test [FILTER ...]

  ./cox test                           style, types, import directions and all tests
  ./cox test FILTER ...                only the tests whose path contains one of the filters
  ./cox test differential [AREA ...]   the embedded server against a real kube-apiserver; --record renews the fixtures
  ./cox test conformance [PART ...]    the conformance tests of Kubernetes against the embedded cluster; --tier a|b, --procs N
  ./cox test scenarios [NAME ...]      what users and fate do to a cluster, on the embedded one, against recordings of a real one
  ./cox test real [NAME ...]           the same on a real Kubernetes with nodes, on this machine; --record renews the recordings
  ./cox test clients [NAME ...]        operators in Go, Rust and Python on the embedded cluster (controller-runtime, kube-rs, kopf), and streams through client-go
  ./cox test fuzz                      100,000 broken requests to the embedded server; --inputs N, --seed N
  ./cox test models                    the informer store's model through 1,000,000 interleavings of writes, answers and watches; --runs N, --seed N
  ./cox test lives                     each kind of MatrixOne under the faults of 2,000 seeds, in virtual time; --runs N, --seed N, --kinds A,B
  ./cox test lives writes              the same with the operator killed at each of its writes, one after the other; --from N, --to N, --kinds A,B
  ./cox test nemesis                   500 pods with claims come and go on a process-backed node, and leave nothing behind; --rounds N
  ./cox test framework [NAME ...]      the operator framework, as its users see it; --real: on a real etcd and kube-apiserver
  ./cox test s3 [FILTER ...]           what empties and fills buckets, against a real S3 server and with the real aws
  ./cox test faults                    an operator behind a bad network and over a server that is killed, and two with one lease; --real, --cycles N, --objects N
  ./cox test matrixone                 the long life of a MatrixOne of real processes: scaled, rolled, broken, with its operator killed meanwhile, and one of the real mo-service that MO_SERVICE names; --real: on the control plane of a real Kubernetes

The last line is "N passed, N failed", each test and each check counted. Ends with 0 when nothing failed.
`;

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) process.stdout.write(help);
// Not by running out of work: a pipe that its process left half-closed keeps Node's own end busy for ever.
else process.exit(await main(args));
