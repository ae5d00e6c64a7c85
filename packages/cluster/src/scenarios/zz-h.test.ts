import { test } from 'vitest';
import { writeFileSync, appendFileSync, existsSync, readFileSync } from 'node:fs';
import { compareRecordings } from './compare.ts';
import { embeddedGround } from './embedded-ground.ts';
import { play } from './play.ts';
import { scenarios } from './scripts/index.ts';
writeFileSync('/tmp/diffs.txt', '');
test.each(scenarios.filter(s => /deploy|roll|scale|recreate|pause|stateful|evict|drain|delete-namespace/.test(s.name)))('$name', async (scenario) => {
  const f = ['recordings','fixtures'].map((d) => `/work/main/packages/cluster/src/scenarios/${d}/${scenario.name}.json`).find((x) => existsSync(x));
  if (!f) return;
  const recorded = JSON.parse(readFileSync(f, 'utf8'));
  await using ground = await embeddedGround();
  const all = compareRecordings(recorded, await play(scenario, ground));
  for (const d of all) appendFileSync('/tmp/diffs.txt', `${scenario.name} | ${d.place} | emb: ${d.embedded} | real: ${d.real}\n`);
});
