import { spawnSync } from 'node:child_process';

/** Words that go before a program's own; found out once. */
let words: readonly string[] | undefined;

/** `setpriv` of util-linux, where there is one that can do it. */
function findWords(): readonly string[] {
  const wanted = ['setpriv', '--pdeathsig', 'KILL'];
  const [program = '', ...args] = wanted;
  return process.platform === 'linux' && spawnSync(program, [...args, 'true']).status === 0 ? wanted : [];
}

/**
 * The command that starts a program which ends (SIGKILL) when the process that has started it does, however that ends, and otherwise is as if
 * started by itself: its process id is the program's. To be spread into `spawn`, in the main thread. Takes Linux with util-linux; elsewhere
 * the command is the program's own. A program that is not there ends with 127 instead of the error ENOENT of `spawn`.
 */
export function endsWithParent(program: string, args: readonly string[]): [program: string, args: string[]] {
  words ??= findWords();
  const [first = program, ...rest] = [...words, program, ...args];
  return [first, rest];
}
