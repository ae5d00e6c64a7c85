import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';

/** Heap an object takes, as a multiple of its JSON text without managedFields (1 and 5 KB). */
interface Forms {
  readonly full: number;
  /** With what our field manager applied kept aside. */
  readonly applied: number;
  readonly metadataOnly: number;
  /** Without `spec`. */
  readonly transformed: number;
}

interface Measured {
  readonly small: Forms;
  readonly large: Forms;
  /** Bytes of heap that each of 200,000 objects that came and went has left behind. */
  readonly left: number;
  /** Heap when a second list has come and is not over yet, as a multiple of what the first one took. */
  readonly relisted: number;
}

let measured: Measured;

beforeAll(async () => {
  const program = fileURLToPath(new URL('test-memory.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  measured = JSON.parse(stdout) as Measured;
});

test('a whole object takes less than twice its JSON text', () => {
  expect(measured.small.full).toBeLessThan(2);
  expect(measured.large.full).toBeLessThan(2);
});

test('what our field manager applied is shared, so it costs next to nothing', () => {
  expect(measured.small.applied - measured.small.full).toBeLessThan(0.1);
  expect(measured.large.applied - measured.large.full).toBeLessThan(0.1);
});

test('metadata alone, and transformed objects, take the share that is kept', () => {
  expect(measured.small.metadataOnly).toBeLessThan(1);
  expect(measured.large.metadataOnly).toBeLessThan(0.25);
  expect(measured.large.transformed).toBeLessThan(0.3);
});

test('objects that came and went leave nothing behind', () => {
  expect(measured.left).toBeLessThan(4);
});

test('listing everything again takes no second store', () => {
  expect(measured.relisted).toBeLessThan(1.2);
});
