import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lostReply } from './example.ts';

test('the example of the README does what it says, and is the one that is compiled', async () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
  expect(read('../../README.md')).toContain(`\`\`\`ts\n${read('example.ts')}\`\`\`\n`);
  expect((await lostReply()).metadata.name).toBe('web');
});
