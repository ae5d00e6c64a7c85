import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'operators/*/src/**/*.test.ts',
      'bench/src/**/*.test.ts',
      'scripts/**/*.test.ts',
      'docs/**/*.test.ts',
      'examples/**/*.test.ts',
      'images/**/*.test.ts',
    ],
    // far more than any takes: on a machine that others load tenfold, too, it is the test that says what is late
    testTimeout: 180_000,
    hookTimeout: 180_000,
    globalSetup: ['scripts/test-servers.ts'],
    setupFiles: ['scripts/test-setup.ts'],
    pool: 'forks',
    // one more than the cores of a small machine: some tests wait for programs, and leave theirs to others
    maxWorkers: 3,
    // no module keeps state, so files share a process: a third less time
    isolate: false,
  },
});
