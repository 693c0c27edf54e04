import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['pml-source'] },
  ssr: { resolve: { conditions: ['pml-source'] } },
  test: {
    include: [
      '{apps,packages}/*/{src,test}/**/*.test.ts',
      'scripts/**/*.test.ts',
      'bench/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    globalSetup: ['apps/server/test/start-postgres.ts'],
    // Most tests wait for processes: on two cores, two files at a time take half as long as one.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes; how fast it comes on a busy machine is no matter of tests.
    expect: { poll: { timeout: 20_000 } },
    allowOnly: false,
  },
})
