import type { Locator, Page } from 'playwright-core';
import { waitUntil } from './wait-until';

export const phone = { width: 390, height: 844 };

const isWithinScreen = (place: Locator): Promise<boolean> =>
  place.evaluate((element) => {
    const { left, right } = element.getBoundingClientRect();
    return left >= -1 && right <= window.innerWidth + 1;
  });

/** Waits until the page is as wide as the screen; drawings take their width after the first paint. */
export async function waitUntilFits(page: Page, path: string): Promise<void> {
  await waitUntil(
    `${path}: the page is ${phone.width} px wide, and the current places are in sight`,
    async () => {
      if ((await page.evaluate(() => document.documentElement.scrollWidth)) !== phone.width) return false;
      const current = page.locator('nav [aria-current="page"]');
      const seen = await Promise.all((await current.all()).map(isWithinScreen));
      return seen.length > 0 && seen.every((is) => is);
    },
  );
}

/** Tables that are wider than their container, with the excess in pixels. */
export const tooWideTables = (page: Page): Promise<string[]> =>
  page.locator('table[aria-label]').evaluateAll((tables) =>
    tables.flatMap((table) => {
      const room = table.parentElement?.clientWidth ?? 0;
      const tooMuch = table.scrollWidth - room;
      return tooMuch > 1 ? [`${table.getAttribute('aria-label')}: ${tooMuch} px`] : [];
    }),
  );
