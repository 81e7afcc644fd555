import { beforeAll, describe } from 'vitest';
import { type Story, startStory } from './e2e-story';

/** The server with the lab that the stories in tests/e2e/lab use one after the other. */
export let story: Story;

export const api = (path: string): string => `${story.server.url}/api/v1/${path}`;

const flags = [
  ...['--lab', '--no-background-faults'],
  ...['--istiod-interval', '1s', '--lrs-interval', '1s'],
];

export async function startSharedLab(): Promise<void> {
  story = await startStory(flags);
}

interface Suite {
  readonly title: string;
  readonly tests: () => void;
  /** Runs on the server before the restart. */
  readonly beforeRestart?: () => Promise<void>;
}
const afterRestart: Suite[] = [];
const withoutLab: Suite[] = [];

/** Tests of a server that was restarted over the same data with a new lab. They run after the stories. */
export function describeAfterRestart(
  title: string,
  tests: () => void,
  beforeRestart?: Suite['beforeRestart'],
) {
  afterRestart.push({ title, tests, beforeRestart });
}

/** Tests of a server that was restarted over the same data without the lab. They run last. */
export function describeWithoutLab(title: string, tests: () => void): void {
  withoutLab.push({ title, tests });
}

export function describeRestarts(): void {
  for (const [args, suites] of [
    [flags, afterRestart],
    [['--no-lab'], withoutLab],
  ] as const) {
    describe(`after a restart with ${args.join(' ')}`, { timeout: 240_000 }, () => {
      beforeAll(async () => {
        for (const { beforeRestart } of suites) await beforeRestart?.();
        await story.restart(args);
      }, 120_000);
      for (const { title, tests } of suites) describe(title, tests);
    });
  }
}
