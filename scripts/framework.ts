/**
 * `./cox test framework [--real] [NAME …]`: the suites of the operator framework and of the test kit, against the embedded server or
 * against a real etcd and kube-apiserver.
 */
import { parseArgs } from 'node:util';

/** What is run without a filter: everything of the framework that talks to a server by the flag, and what stands on it. */
const suites = ['packages/runtime/src', 'packages/testing/src', 'operators/matrixone/src/admission', 'scripts/pack'];

/**
 * Sets the server and says which test files to run.
 * @returns parts of the paths of test files; `undefined` when the arguments make no sense, which has been said then
 */
export function frameworkPaths(args: readonly string[]): readonly string[] | undefined {
  try {
    const options = { real: { type: 'boolean', default: false } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    process.env['COX_SERVER'] = values.real ? 'real' : 'embedded';
    process.env['COX_PACK'] = '1';
    return positionals.length > 0 ? positionals.map((each) => `packages/testing/src/framework/${each}`) : suites;
  } catch {
    process.stdout.write('usage: ./cox test framework [--real] [NAME ...]\n');
    return undefined;
  }
}
