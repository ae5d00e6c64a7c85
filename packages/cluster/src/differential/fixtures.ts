import { readFileSync, writeFileSync } from 'node:fs';
import { parseJson, stringifyJson } from '@coxswain/runtime/client';
import type { Answers } from './report.ts';

const fileOf = (area: string): URL => new URL(`./fixtures/${area}.json`, import.meta.url);

/** What the real server answered in an area. */
export function loadFixture(area: string): Answers {
  return parseJson(readFileSync(fileOf(area), 'utf8')) as Answers;
}

/** Keeps the real server's answers, a line each. */
export function saveFixture(area: string, answers: Answers): void {
  const scenarios = Object.entries(answers).map(([title, steps]) => {
    const lines = steps.map((answer) => `  ${stringifyJson(answer)}`);
    return `${JSON.stringify(title)}: [\n${lines.join(',\n')}\n]`;
  });
  writeFileSync(fileOf(area), `{\n${scenarios.join(',\n')}\n}\n`);
}
