import { namespaceOf, play, type Skip } from './play.ts';
import type { Answers } from './report.ts';
import type { Area, Target } from './types.ts';

/** Plays all scenarios of an area, one after the other. */
export async function playArea(area: Area, target: Target, skip?: Skip): Promise<Answers> {
  const answers: Record<string, Answers[string]> = {};
  for (const [index, scenario] of area.scenarios.entries())
    answers[scenario.title] = await play(scenario, target, namespaceOf(area.name, index), skip);
  return answers;
}
