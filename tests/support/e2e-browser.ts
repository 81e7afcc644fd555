import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

/** Debian's Chromium, headless, without calls home. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
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
 * A profile of its own in the one browser of this process, in which Vitest runs several stories one after the other.
 * Vitest ends the process with SIGTERM; Playwright kills the browser when the process exits.
 */
export async function openContext(options: BrowserContextOptions): Promise<BrowserContext> {
  if (shared === undefined) {
    process.once('SIGTERM', () => process.exit(143));
    shared = launchBrowser();
  }
  return (await shared).newContext(options);
}
