import { namespaceOf, play, type Skip } from './play.ts';
import type { Answers } from './report.ts';
import type { Area, Target } from './types.ts';

/** Plays all scenarios of an area, one after the other. */
export async function playArea(area: Area, target: Target, skip?: Skip): Promise<Answers> {
  const answers: Record<string, Answers[string]> = {};
  const prepared = await area.prepare?.(target);
  try {
    for (const [index, scenario] of area.scenarios.entries())
      answers[scenario.title] = await play(scenario, prepared?.target ?? target, namespaceOf(area.name, index), skip);
  } finally {
    await prepared?.close();
  }
  return answers;
}
