/**
 * `./cox test s3 [FILTER …]`: what empties and fills buckets, against a real S3 server and with the real `aws`. Both are fetched
 * once: the server is built from its Go module, which takes two minutes, and the program comes from PyPI.
 */
import { buildGoPrograms, GoMissingError, installAwsCli } from '@coxswain/testing';

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Tests that ask a real S3 server, and are left out of `./cox test` where there is none. */
const suites = ['packages/testing/src/s3-server', 'operators/matrixone/src/buckets', 'operators/matrixone/src/backup'];

/** Fetches what is missing. @returns false when this machine cannot have the server, which has been said then */
export async function fetchS3(): Promise<boolean> {
  try {
    await buildGoPrograms(['versitygw'], say);
  } catch (error) {
    if (!(error instanceof GoMissingError)) throw error;
    say(`SKIPPED, nothing was tested with an S3 server: ${error.message}`);
    return false;
  }
  await installAwsCli(say);
  return true;
}

/** @returns paths of the tests; `undefined` when this machine cannot have the server */
export async function s3Paths(filters: readonly string[]): Promise<readonly string[] | undefined> {
  if (!(await fetchS3())) return undefined;
  process.env['COX_S3'] = '1';
  return filters.length > 0 ? filters : suites;
}
