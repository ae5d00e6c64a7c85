/** `./cox test matrixone`: the long life of a MatrixOne of real processes, with its operator killed during all that it does. */

/**
 * Asks for the long tests and says where they are.
 * @returns parts of the paths of test files; `undefined` when the arguments make no sense, which has been said then
 */
export function matrixonePaths(args: readonly string[]): readonly string[] | undefined {
  if (args.length > 0) {
    process.stdout.write('usage: ./cox test matrixone\n');
    return undefined;
  }
  process.env['COX_MATRIXONE'] = 'long';
  return ['operators/matrixone/src/e2e/long'];
}
