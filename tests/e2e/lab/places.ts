import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { phone } from '../../support/phone-width';
import { openPage } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

const places = [
  ...['/', '/clients', '/nacks', '/pushes', '/history'],
  ...['/load', '/explain', '/check', '/interop', '/sources'],
];

const nav = (page: Page) => page.getByRole('navigation', { name: 'Places' });
const more = (page: Page) => nav(page).getByRole('button', { name: /^More/ });

/** The links and buttons in sight whose text is cut, or that are not within the screen. */
const cutPlaces = (page: Page): Promise<string[]> =>
  nav(page)
    .locator('a, button')
    .evaluateAll((elements) =>
      elements.flatMap((element) => {
        if (!element.checkVisibility({ visibilityProperty: true })) return [];
        const { left, right, bottom } = element.getBoundingClientRect();
        const isWithin = left >= -1 && right <= window.innerWidth + 1 && bottom <= window.innerHeight + 1;
        const isWhole = element.scrollWidth <= element.clientWidth + 1;
        return isWithin && isWhole ? [] : [`${element.textContent}: ${left} to ${right} px`];
      }),
    );

/** The path of the place that has the focus; "More", or empty for anything else. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = document;
    if (activeElement?.closest('nav[aria-label="Places"]') == null) return '';
    return activeElement instanceof HTMLAnchorElement ? activeElement.pathname : 'More';
  });

describe.each([
  ['a tablet', { width: 1024, height: 768 }],
  ['a phone', phone],
])('the places on %s', (_, viewport) => {
  it('are whole, and each of them is reached by keyboard', async () => {
    const page = await openPage('/clients');
    const before = page.viewportSize();
    await page.setViewportSize(viewport);
    await waitUntil('no place is cut', async () => (await cutPlaces(page)).length === 0);
    await nav(page).locator('a').first().focus();
    const reached: string[] = [];
    for (let at = await focused(page); at !== '' && reached.length < 20; at = await focused(page)) {
      if (at === 'More') {
        await page.keyboard.press('Enter');
        await nav(page)
          .getByRole('link', { name: /^Settings/ })
          .waitFor();
        expect(await cutPlaces(page)).toEqual([]);
      } else reached.push(at);
      await page.keyboard.press('Tab');
    }
    expect(reached).toEqual(places);
    if (before !== null) await page.setViewportSize(before);
  });
});

it('the places below "More" on a phone are opened and closed by keyboard', async () => {
  const page = await openPage('/clients');
  const before = page.viewportSize();
  await page.setViewportSize(phone);
  const settings = nav(page).getByRole('link', { name: /^Settings/ });
  await more(page).focus();
  await page.keyboard.press('Enter');
  await settings.waitFor();
  await page.keyboard.press('Escape');
  await settings.waitFor({ state: 'hidden' });
  await page.keyboard.press('Enter');
  await settings.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/sources/);
  await more(page).getByText('More: Settings').waitFor();
  if (before !== null) await page.setViewportSize(before);
});
