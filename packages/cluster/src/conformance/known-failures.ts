/** Tests that fail, by a part of their name, with the cause. The aim is none. */
export const knownFailures: Readonly<Record<string, string>> = {};

/** The cause, when the failure of this test is known. */
export function knownCause(test: string): string | undefined {
  return Object.entries(knownFailures).find(([part]) => test.includes(part))?.[1];
}
