import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { ClientSummary } from '@/lib/views/client/schema';
import { openContext } from './e2e-browser';
import { getJson, type RunningServer, startServer } from './e2e-server';
import { patienceMs } from './patience';
import { waitUntil } from './wait-until';

/** A server, its data directory, and a browser profile. */
export interface Story {
  readonly dataDir: string;
  server: RunningServer;
  readonly context: BrowserContext;
  /** Errors of pages, and violations of the content security policy. */
  readonly pageErrors: string[];
  newPage(): Promise<Page>;
  /** Starts another server over the same data. */
  restart(args: readonly string[]): Promise<void>;
  end(): Promise<void>;
}

export async function startStory(
  args: readonly string[],
  browsing: BrowserContextOptions = {},
): Promise<Story> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-story-'));
  const start = (with_: readonly string[]): Promise<RunningServer> =>
    startServer([...with_, '--data-dir', dataDir, '--csds-interval', '1s']);
  const viewport = { width: 1440, height: 900 };
  const [server, context] = await Promise.all([
    start(args),
    openContext({ viewport, reducedMotion: 'reduce', ...browsing }),
  ]);
  await openWithToken(context, server);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const pageErrors: string[] = [];
  const story: Story = {
    dataDir,
    server,
    context,
    pageErrors,
    async newPage() {
      const page = await context.newPage();
      page.on('pageerror', (error) => pageErrors.push(String(error)));
      page.on('console', (message) => {
        if (message.text().includes('Content Security Policy')) pageErrors.push(message.text());
      });
      page.setDefaultTimeout(patienceMs(60_000));
      return page;
    },
    async restart(with_) {
      await story.server.stop();
      story.server = await start(with_);
      await openWithToken(context, story.server);
    },
    async end() {
      await context.close();
      await story.server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return story;
}

/** Opens the URL that the server printed, which gives the browser its cookie. */
export async function openWithToken(
  context: BrowserContext,
  { url, printedUrl }: RunningServer,
): Promise<void> {
  if (printedUrl === url) return;
  const page = await context.newPage();
  await page.goto(printedUrl);
  await page.close();
}

/** Real clients load hundreds of proto files, which is slow on a busy machine. */
export const labStartMs = 120_000;

export async function findClient(story: Story, nodeId: string): Promise<ClientSummary> {
  return waitUntil(
    `the client ${nodeId} is there with resources`,
    async () => {
      const { items } = await getJson<{ items: ClientSummary[] }>(`${story.server.url}/api/v1/clients`);
      return items.find((client) => client.nodeId === nodeId && client.resources > 0);
    },
    labStartMs,
  );
}
