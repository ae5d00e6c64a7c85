/**
 * `./cox test matrixone [--real]`: the long life of a MatrixOne of real processes, and clusters over a real S3 server, with the operator
 * killed during all that it does; the real `mo-service`, alone and as a whole cluster, where `MO_SERVICE` names one; and all recorded clusters of the
 * upstream operator, taken over. With `--real` the control plane is Kubernetes' own (etcd, kube-apiserver, kube-controller-manager), and what
 * it thinks of the operator and its charts is tested.
 */
import { parseArgs } from 'node:util';
import { buildGoPrograms, GoMissingError, inOwnNetwork, lacksOwnNetwork } from '@coxswain/testing';
import { run } from './run.ts';
import { fetchS3 } from './s3.ts';

const e2e = 'operators/matrixone/src/e2e';

/** What is run without `--real`; clusters over an S3 server only where there is one. */
export const longSuites: readonly string[] = [
  `${e2e}/long`,
  `${e2e}/whole`,
  `${e2e}/real-service`,
  'images/matrixone/real.test',
  'operators/matrixone/src/takeover',
];

/**
 * Asks for the long tests and says where they are.
 * @returns parts of the paths of test files; `undefined` when the arguments make no sense, which has been said then
 */
export async function matrixonePaths(args: readonly string[]): Promise<readonly string[] | undefined> {
  if (args.length > 0) {
    process.stdout.write('usage: ./cox test matrixone [--real [FILTER ...]]\n');
    return undefined;
  }
  process.env['COX_MATRIXONE'] = 'long';
  return (await fetchS3()) ? [...longSuites, `${e2e}/backup`] : longSuites;
}

/** What is run on a real control plane, without a filter. */
const realSuites = [
  `${e2e}/whole`,
  `${e2e}/backup`,
  'operators/matrixone/src/chart/install',
  'operators/matrixone/src/takeover/hand-over',
];

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/**
 * Builds what is missing and runs the tests in a network of their own (Linux, as root), where a real API server takes the addresses of pods.
 * @returns an exit code
 */
export async function matrixoneReal(args: readonly string[]): Promise<number> {
  const { positionals } = parseArgs({
    args: [...args],
    options: { real: { type: 'boolean' } },
    allowPositionals: true,
  });
  const lacks = (await lacksOwnNetwork()) ?? (await buildPlane());
  if (lacks !== undefined) {
    say(`SKIPPED, nothing was tested: ${lacks}`);
    return 2;
  }
  await fetchS3();
  process.env['COX_MATRIXONE_SERVER'] = 'real';
  process.env['COX_MATRIXONE'] = 'long';
  const suites = positionals.length > 0 ? positionals : realSuites;
  const [program, ...rest] = inOwnNetwork(process.execPath, ['scripts/test.ts', ...suites]);
  return run(program, rest);
}

/** Builds what the control plane consists of. @returns why that cannot be here */
async function buildPlane(): Promise<string | undefined> {
  try {
    await buildGoPrograms(['etcd', 'kube-apiserver', 'kube-controller-manager'], say);
    return undefined;
  } catch (error) {
    if (error instanceof GoMissingError) return error.message;
    throw error;
  }
}
