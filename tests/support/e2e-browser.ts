import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import type { TestContext } from 'vitest';

/** Debian's headless shell uses less processor time than its Chromium, the fallback. */
const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((file) =>
  existsSync(file),
);

/** Headless, without connections to Google's services. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    handleSIGTERM: false,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

let shared: Promise<Browser> | undefined;

/**
 * A new profile in the browser of this process, which several test files share.
 * Vitest ends the process with SIGTERM; Playwright kills the browser when the process exits.
 */
export async function openContext(options: BrowserContextOptions): Promise<BrowserContext> {
  if (shared === undefined) {
    process.once('SIGTERM', () => process.exit(143));
    shared = launchBrowser();
  }
  return (await shared).newContext(options);
}

/** Enough for a page with its message, and not for a table of 10,000 rows. */
const printedLength = 4000;

/** After a failed test, writes what the pages of all profiles show: a timeout alone does not state it. */
export async function printFailedPages({ task }: TestContext): Promise<void> {
  if (task.result?.state !== 'fail' || shared === undefined) return;
  for (const page of (await shared).contexts().flatMap((context) => context.pages())) {
    if (page.url() === 'about:blank') continue;
    const text = await page.evaluate(() => document.body.innerText).catch(String);
    process.stdout.write(`${task.name}: ${page.url()} shows\n${text.slice(0, printedLength)}\n`);
  }
}
