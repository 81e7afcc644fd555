import type { Page } from 'playwright-core';

/** Resolves when the scripts of the page run. */
export function isListening(page: Page): Promise<void> {
  return page.getByText('live', { exact: true }).first().waitFor();
}

/** Drops files and folders by path in the middle of the page. */
export async function dropFiles(page: Page, ...files: string[]): Promise<void> {
  await isListening(page);
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data });
  }
  await session.detach();
}
