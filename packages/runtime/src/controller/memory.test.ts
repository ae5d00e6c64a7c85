import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('100,000 keys that came and went, some after errors and delays, leave nothing behind', {
  timeout: 120_000,
}, async () => {
  const program = fileURLToPath(new URL('test-memory.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  expect((JSON.parse(stdout) as { left: unknown }).left).toBeLessThan(8);
});
