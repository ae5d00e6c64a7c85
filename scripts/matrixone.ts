/**
 * `./cox test matrixone`: the long life of a MatrixOne of real processes, and clusters over a real S3 server, with the operator killed
 * during all that it does; and all recorded clusters of the upstream operator, taken over.
 */
import { fetchS3 } from './s3.ts';

/**
 * Asks for the long tests and says where they are.
 * @returns parts of the paths of test files; `undefined` when the arguments make no sense, which has been said then
 */
export async function matrixonePaths(args: readonly string[]): Promise<readonly string[] | undefined> {
  if (args.length > 0) {
    process.stdout.write('usage: ./cox test matrixone\n');
    return undefined;
  }
  process.env['COX_MATRIXONE'] = 'long';
  const suites = ['operators/matrixone/src/e2e/long', 'operators/matrixone/src/takeover'];
  return (await fetchS3()) ? [...suites, 'operators/matrixone/src/e2e/backup'] : suites;
}
