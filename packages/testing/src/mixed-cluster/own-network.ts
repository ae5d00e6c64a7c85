import { messageOf } from '@coxswain/runtime/core';
import { runProgram } from '../run-program.ts';

/** First number of all addresses in the network that {@link inOwnNetwork} makes: nobody's in most networks (RFC 6598). */
export const net = 100;

/** A program to be started, and its arguments. */
export type OwnNetwork = readonly [program: string, ...args: string[]];

/**
 * How a program is run in a network of its own, where every address of 100.0.0.0/8 is this machine's and nothing else is reached: pods get
 * addresses there that a real API server takes. Linux, as root. Nothing of it is left when the program ends.
 */
export function inOwnNetwork(program: string, args: readonly string[]): OwnNetwork {
  const script = `ip link set lo up && ip route add local ${net}.0.0.0/8 dev lo && exec "$@"`;
  return ['unshare', '--net', 'sh', '-c', script, 'sh', program, ...args];
}

/** Why this machine cannot have such a network; `undefined` when it can. */
export async function lacksOwnNetwork(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a network of its own takes Linux, as root';
  const [program, ...args] = inOwnNetwork('true', []);
  try {
    await runProgram(program, args, { cwd: '/', timeout: 10_000 });
    return undefined;
  } catch (error) {
    return `a network of its own takes \`unshare\` and \`ip\`: ${messageOf(error)}`;
  }
}
