import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They measure or change what belongs to their process: its environment, memory, handles, listeners, modules. */
const ofProcess = ['file-channel', 'logger', 'read-file', 'start-runtime'].map(
  (name) => `tests/server/**/${name}.test.ts`,
);

/** Files of the same project follow each other, so that they can share processes; the longest begin first. */
const order = ['peers', 'stories', 'alone', 'together'];
const longest = ['e2e/lab.test', 'load-story', 'secrets-story', 'both-clients-breaks'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longest.some((name) => moduleId.includes(name));
    const place = (file: TestSpecification) => 2 * order.indexOf(file.project.name) + (isLong(file) ? 0 : 1);
    return files.sort((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  resolve: { alias: { '@': import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname) } },
  test: {
    globalSetup: ['tests/support/build-programs.ts', 'tests/support/temporary-folder.ts'],
    setupFiles: ['tests/support/seeded-properties.ts'],
    // These limits end tests that hang. None of them measures: the machine may be busy.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // Where that many fail, the cause is one, and the others would wait for their limits.
    bail: 10,
    pool: 'forks',
    // Many tests wait for timers and sockets: one process more than there are cores.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      // `npm run test:peers` runs these, `npm test` does not.
      { extends: true, test: { name: 'peers', include: ['tests/peers/**/*.test.ts'], isolate: false } },
      // Stories share a browser, see tests/support/e2e-browser.ts.
      {
        extends: true,
        test: {
          name: 'stories',
          include: ['tests/e2e/**/*.test.ts'],
          isolate: false,
          setupFiles: ['tests/e2e/print-failed-pages.ts'],
        },
      },
      { extends: true, test: { name: 'alone', include: ofProcess } },
      // One project, so that each process and the transforms of Vite import a module of the program once.
      {
        extends: true,
        test: {
          name: 'together',
          include: [
            'tests/{server,architecture,support}/**/*.test.ts',
            'tests/{lib,app,drawings}/**/*.test.{ts,tsx}',
          ],
          exclude: ofProcess,
          isolate: false,
        },
      },
    ],
  },
});
