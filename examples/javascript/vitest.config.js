import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: './test/fakeapi-setup.js',
    // All test files share one server, so they must not run at the same time.
    fileParallelism: false,
    testTimeout: 30_000,
  },
});
