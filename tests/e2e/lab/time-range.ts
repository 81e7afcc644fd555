import { describe, expect, it } from 'vitest';
import { openPage, visit } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

describe('the time range in the header', () => {
  it('is in the URL as it was chosen, and is kept on other pages and on the way back', async () => {
    const page = await openPage('/history');
    const picker = page.getByRole('button', { name: /^Time range: / });
    expect(await picker.textContent()).toBe('Time range: Everything recorded');
    await picker.click();
    await page.getByRole('button', { name: 'Last 15 min' }).click();
    await page.waitForURL(/\/history\?from=now-15m$/);

    await page.getByRole('link', { name: 'Load', exact: true }).click();
    await page.waitForURL(/\/load\?from=now-15m$/);
    await page.getByRole('button', { name: 'Zoom out: twice as long' }).click();
    await page.waitForURL(/\/load\?from=now-30m$/);
    // The page without a time range keeps it for the next one.
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.waitForURL(/\/sources/);
    expect(await picker.count()).toBe(0);
    await page.getByRole('link', { name: 'NACKs', exact: true }).click();
    await page.waitForURL(/\/nacks\?from=now-30m$/);

    await page.getByRole('button', { name: 'Show the previous range' }).click();
    await page.waitForURL(/from=\d{4}-.*&to=\d{4}-/);
    const { searchParams } = new URL(page.url());
    const [from, to] = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? ''));
    expect((to ?? 0) - (from ?? 0)).toBe(30 * 60_000);
    await page.goBack();
    await page.waitForURL(/\/nacks\?from=now-30m$/);
  });

  it('can be typed, and says what it expected', async () => {
    const page = await openPage('/history?from=now-1h&to=now-30m');
    const picker = page.getByRole('button', { name: 'Time range: now-1h to now-30m' });
    await picker.click();
    const [from, to] = [page.getByLabel('From', { exact: true }), page.getByLabel('To', { exact: true })];
    expect(await from.inputValue()).toBe('now-1h');
    await from.fill('25:00');
    await page.keyboard.press('Enter');
    await page.getByText('Expected an hour from 00 to 23; got “25”.').waitFor();
    await from.fill('2026-01-02 03:04');
    await to.fill('2026-01-02 04:00:00.5');
    await page.keyboard.press('Enter');
    const { timeZone } = await page.evaluate(() => new Intl.DateTimeFormat().resolvedOptions());
    if (timeZone === 'UTC')
      await page.waitForURL(/from=2026-01-02T03:04:00.000Z&to=2026-01-02T04:00:00.500Z/);
    await page.getByText('No event in the time range matches all of these filters.').waitFor();
    expect(await page.locator('input[type^=date], input[type=time]').count()).toBe(0);
  });

  it('holds for the load of a client, and times are in the zone that the header states', async () => {
    const page = await openPage('/load?from=now-5m');
    await page.getByRole('table', { name: 'Cluster over time' }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.waitForURL(/from=\d{4}-.*&to=\d{4}-/);
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.waitForURL(/from=now-5m$/);
    const zone = page.getByRole('button', { name: /^UTC|^GMT/ });
    await zone.click();
    await waitUntil('the times are in UTC', async () => /^UTC/.test((await zone.textContent()) ?? ''));
    await visit(page, '/history');
    await page.getByRole('columnheader', { name: 'Time, UTC' }).waitFor();
  });
});
