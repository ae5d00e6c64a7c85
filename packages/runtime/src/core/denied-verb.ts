/** The verb that a role lacks, by the text of an API server's refusal (`… cannot list resource …`); `undefined` when it names none. */
export function deniedVerb(said: string): string | undefined {
  return /\bcannot (\w+) resource\b/.exec(said)?.[1];
}
