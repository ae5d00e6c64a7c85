/**
 * Takes steps one after the other, the later ones also when one fails: for clean-up, where each thing that stays behind is one too many.
 * @throws what the first that failed threw
 */
export async function tryAll(steps: Iterable<() => Promise<unknown>>): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps)
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
}
