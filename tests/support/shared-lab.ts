import type { Page } from 'playwright-core';
import { beforeAll, describe, type TestContext } from 'vitest';
import { printFailedPages } from './e2e-browser';
import { tokenFlag } from './e2e-server';
import { type Story, startStory } from './e2e-story';

/** The server with the lab that the stories in tests/e2e/lab use one after the other. */
export let story: Story;

export const api = (path: string): string => `${story.server.url}/api/v1/${path}`;

export async function startSharedLab(): Promise<void> {
  const intervals = ['--istiod-interval', '1s', '--lrs-interval', '1s'];
  // Compression is proven by tests/e2e/lab/compression.ts and by the other stories, and takes processor time.
  const browsing = { extraHTTPHeaders: { 'accept-encoding': 'identity' } };
  story = await startStory(['--lab', '--no-background-faults', tokenFlag, ...intervals], browsing);
}

/** The page that the stories share. */
let shared: Page | undefined;

/** A page without state and without requests. */
const neutral = '/compare/rules';

/** The shared page, at `path`, without dialogs of the story before. */
export async function openPage(path: string): Promise<Page> {
  shared ??= await story.newPage();
  await visit(shared, neutral);
  await visit(shared, path);
  return shared;
}

/** Navigates as a link does, which takes a quarter of the processor time of a load. */
export async function visit(page: Page, path: string): Promise<void> {
  const { origin, pathname } = new URL(page.url());
  if (origin !== story.server.url) {
    await page.goto(story.server.url + path);
    return;
  }
  if (pathname === path.split('?')[0]) {
    if (path === neutral) return;
    // A page that is displayed already would keep its state.
    await visit(page, neutral);
  }
  // It is hydrated then.
  await page.getByText('live', { exact: true }).first().waitFor({ state: 'attached' });
  const before = new URL(page.url()).pathname;
  await page.evaluate((to) => Reflect.get(globalThis, 'next').router.push(to), path);
  await page.waitForURL((url) => url.pathname !== before);
}

export async function closePage(): Promise<void> {
  await shared?.close();
  shared = undefined;
}

/** The next story loads the page anew: a failed one left it in some state. */
export async function leavePageAfterFailure(context: TestContext): Promise<void> {
  await printFailedPages(context);
  if (context.task.result?.state === 'fail') await shared?.goto('about:blank');
}

interface Suite {
  readonly title: string;
  readonly tests: () => void;
  /** Runs on the server before the restart. */
  readonly beforeRestart?: () => Promise<void>;
}
const withoutLab: Suite[] = [];

/** Tests of a server that was restarted over the same data without the lab. They run last. */
export function describeWithoutLab(
  title: string,
  tests: () => void,
  beforeRestart?: Suite['beforeRestart'],
): void {
  withoutLab.push({ title, tests, beforeRestart });
}

export function describeRestart(): void {
  describe('after a restart without the lab', () => {
    beforeAll(async () => {
      await closePage();
      for (const { beforeRestart } of withoutLab) await beforeRestart?.();
      await story.restart(['--no-lab', tokenFlag]);
    });
    for (const { title, tests } of withoutLab) describe(title, tests);
  });
}
