import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { HistoryPage } from '@/lib/views/history/schema';
import { getJson, sendJson } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { api, openPage, story, visit } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

const reason = /sum of weights is 0/;

describe('History', () => {
  it('shows a new NACK with its reason, payload, response and diff, and again after a reload', async () => {
    // 1. The History tab of a client is open.
    const client = await findClient(story, 'shop-web');
    const page = await openPage(`/clients/${client.id}/history`);
    const table = page.getByRole('table', { name: 'Events' });
    await table.waitFor();
    await page.getByRole('slider', { name: 'Events over time' }).waitFor();

    // 2. A route configuration is pushed that the client rejects.
    const from = new Date().toISOString();
    expect((await sendJson('POST', api('lab/faults/zero-weights'), { active: true })).status).toBe(200);
    const { seq } = await waitUntil('the NACK is in the log', async () => {
      const query = `history?client=${client.id}&kind=nack-sent&error=sum%20of%20weights&from=${from}`;
      return (await getJson<HistoryPage>(api(query))).items[0];
    });

    // 3. The NACK appears in the table, and opens with the error message of the client.
    const row = table.getByRole('row').filter({ hasText: 'NACK' }).filter({ hasText: reason }).first();
    await row.click();
    const event = page.getByRole('region', { name: 'Event', exact: true });
    await event.getByRole('region', { name: 'Reason' }).getByText(reason).waitFor();
    const message = event.getByRole('region', { name: 'Message' });
    await message.getByText('"errorDetail"').waitFor();
    // The message is whole: with its status code and resource names.
    expect(await message.textContent()).toMatch(/"resourceNames": \[\s+"web-routes"/);
    expect(await message.textContent()).toMatch(/"code": 14/);
    const rejections = event.getByRole('link', { name: 'All occurrences of this NACK' });
    expect(await rejections.getAttribute('href')).toMatch(/^\/nacks\?client=/);
    await page.waitForURL(new RegExp(`event=${seq}`));

    // 4. The response that it answers links to the diff of the payload.
    await event.getByRole('region', { name: 'In response to' }).getByRole('button').click();
    await event.getByRole('region', { name: 'Client response' }).getByText(/NACK/).first().waitFor();
    await event.getByRole('button', { name: 'What changed of web-routes' }).click();
    const diff = event.getByRole('region', { name: 'What changed in web-routes' });
    await diff
      .getByText(/weight/)
      .first()
      .waitFor();
    await page.goBack();
    await event.getByRole('region', { name: 'Reason' }).waitFor();

    // 5. The URL contains the filter by error text. The filters are folded while an event is open.
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('combobox', { name: 'Filter events' }).fill('error~"SUM OF weights"');
    await page.waitForURL(/q=error/);
    const allRejected = async () => {
      const texts = await table.locator('tbody tr[data-row-id]').allInnerTexts();
      const areRejected = texts.every((text) => /NACK|(?:config|connections) changed/.test(text));
      return texts.length > 0 && areRejected ? texts.map((text) => text.split('\t', 1)[0]) : undefined;
    };
    const timesBefore = await waitUntil('only NACKs are listed', allRejected);
    await page.reload();
    await event.getByRole('region', { name: 'Reason' }).getByText(reason).waitFor();
    // Meanwhile another source may have reported it, which adds a row, or is counted in a row.
    await waitUntil('the same is listed after the reload', async () => {
      const times = await allRejected();
      return timesBefore.every((time) => times?.includes(time));
    });
    // Still folded.
    const filter = page.getByRole('combobox', { name: 'Filter events', includeHidden: true });
    expect(await filter.inputValue()).toBe('error~"SUM OF weights"');
  });

  it('has one time axis with the scrubber: a click selects the moment at that place', async () => {
    const client = await findClient(story, 'shop-web');
    const page = await openPage(`/clients/${client.id}/history`);
    const axis = page.getByTitle('Click or drag: all views of the client show that time');
    const scrubber = page.getByRole('slider', { name: 'Moment' });
    await scrubber.waitFor();
    await axis.waitFor();
    expect(await page.locator('[data-moment-line]').count()).toBe(0);
    const x = ((await axis.boundingBox())?.width ?? 0) * 0.8;
    const place = await scrubber.boundingBox();
    await axis.click({ position: { x, y: 8 } });
    await page.waitForURL(/at=/);
    await page.getByText('Viewing the past').waitFor();
    // The scrubber stays where it is on the page.
    expect(await scrubber.boundingBox()).toEqual(place);
    const line = page.locator('[data-moment-line]');
    /** Pixels from the left edge of the axis. */
    const placeOf = async () => {
      const [box, lineBox] = [await axis.boundingBox(), await line.boundingBox()];
      return box === null || lineBox === null ? undefined : lineBox.x + lineBox.width / 2 - box.x;
    };
    const isWhereClicked = async () => Math.abs(((await placeOf()) ?? 0) - x) < 2;
    await waitUntil('the line is where the click was', isWhereClicked);
    expect(await scrubber.getAttribute('aria-valuetext')).toMatch(/^\d{4}-/);
    // New events wait, and the axis stays as it is.
    const fault = (active: boolean) => sendJson('POST', api('lab/faults/zero-weights'), { active });
    await fault(false);
    const waits = page.getByText(/paused, [\d,]+ waits?/);
    await waits.waitFor();
    expect(await isWhereClicked()).toBe(true);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await waits.waitFor({ state: 'hidden' });
    await line.waitFor({ state: 'hidden' });
    await fault(true);
    await axis.click({ position: { x, y: 8 } });
    await waitUntil('the line is where the second click was', isWhereClicked);
    // The scrubber moves the line, too.
    await scrubber.focus();
    await page.keyboard.press('Home');
    await waitUntil('the line has moved', async () => {
      const now = await placeOf();
      return now !== undefined && now < x - 2;
    });
  });

  it('has a scrubber that states the time under the pointer, takes a typed time, and zooms', async () => {
    const client = await findClient(story, 'shop-web');
    const page = await openPage(`/clients/${client.id}/resources`);
    const scrubber = page.getByRole('slider', { name: 'Moment' });
    const ticks = page.getByTitle('Drag to zoom in, double-click to zoom out');
    await ticks.locator('text').first().waitFor();
    await scrubber.hover({ position: { x: 100, y: 5 } });
    expect(await page.locator('[data-readout]').textContent()).toMatch(/^\d{4}-\d{2}-\d{2} [\d:.]{12} /);

    const field = page.getByLabel('Shown time');
    expect(await field.inputValue()).toBe('now');
    await field.fill('25:00');
    await field.press('Enter');
    await page.getByText('Expected an hour from 00 to 23; got “25”.').waitFor();
    await field.fill('now-2s');
    await field.press('Enter');
    await page.waitForURL(/at=/);
    await page.getByText('Viewing the past').waitFor();
    expect(await field.inputValue()).toMatch(/^\d{4}-\d{2}-\d{2} [\d:.]{12}$/);
    await field.fill('now');
    await field.press('Enter');
    await page.waitForURL(({ searchParams }) => !searchParams.has('at'));

    const { x = 0, y = 0, width = 0 } = (await ticks.boundingBox()) ?? {};
    await page.mouse.move(x + width * 0.2, y + 5);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.4, y + 5, { steps: 3 });
    await page.mouse.up();
    await page.waitForURL(/from=\d{4}-.*&to=\d{4}-/);
    // The header states the same range, and the axis ends with it.
    await page.getByRole('button', { name: /^Time range: \d.* to \d/ }).waitFor();
    const end = Date.parse(new URL(page.url()).searchParams.get('to') ?? '');
    await waitUntil('the axis ends with the range', async () => {
      const most = Number(await scrubber.getAttribute('aria-valuemax'));
      return Math.abs(most - end) < 5_000 || undefined;
    });
    await page.getByRole('button', { name: 'Zoom out on the time axis' }).click();
    await page.goBack();
    await page.goBack();
    await page.waitForURL(({ searchParams }) => !searchParams.has('from'));
  });

  it('saves its lanes as a picture, and its events in a permalink', async () => {
    const client = await findClient(story, 'shop-web');
    const page = await openPage(`/clients/${client.id}/history?type=CDS`);
    const rows = page.getByRole('table', { name: 'Events' }).locator('tbody tr[data-row-id]');
    await rows.first().waitFor();
    const save = async (format: 'SVG' | 'PNG') => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: `Save as ${format}` }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(
        new RegExp(`^xdscope-history-.*[.]${format.toLowerCase()}$`),
      );
      return readFile(await download.path());
    };
    const svg = (await save('SVG')).toString('utf8');
    for (const words of [`History of ${client.nodeId}`, 'CDS', 'Times in', 'response']) {
      expect(svg).toContain(words);
    }
    expect([...(await save('PNG')).subarray(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47]);

    await page.getByRole('button', { name: 'Share' }).click();
    const href = await page.getByRole('dialog').getByRole('link').getAttribute('href');
    const sharedAt = Date.now();
    // The permalink does not contain an event that follows.
    await sendJson('POST', api('lab/faults/zero-weights'), { active: false });
    await waitUntil('something newer is in the log', async () => {
      const query = `history?client=${client.id}&from=${new Date(sharedAt).toISOString()}&limit=1`;
      return (await getJson<HistoryPage>(api(query))).items[0];
    });
    await sendJson('POST', api('lab/faults/zero-weights'), { active: true });
    await visit(page, new URL(href ?? '').pathname);
    await page.getByText('Stored').first().waitFor();
    await rows.first().waitFor();
    const times = page.getByRole('table', { name: 'Events' }).locator('tbody time');
    const moments = await times.evaluateAll((all) => all.map((time) => time.getAttribute('datetime') ?? ''));
    for (const moment of moments) expect(Date.parse(moment)).toBeLessThanOrEqual(sharedAt);
    for (const text of await rows.allInnerTexts()) expect(text).toMatch(/CDS|config changed/);
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
  });

  it('selects events with the keyboard, and announces the selected one', async () => {
    const page = await openPage('/history');
    const timeline = page.getByRole('slider', { name: 'Events over time' });
    await page.getByRole('table', { name: 'Events' }).locator('tbody tr[data-row-id]').first().waitFor();
    await timeline.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('n');
    await waitUntil('a NACK is chosen', async () =>
      /^NACK/.test((await timeline.getAttribute('aria-valuetext')) ?? ''),
    );
    await page.keyboard.press('Enter');
    await page
      .getByRole('region', { name: 'Event', exact: true })
      .getByRole('region', { name: 'Reason' })
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Event', exact: true }).waitFor({ state: 'hidden' });
  });

  it('counts events while it is paused, and shows them when it follows again', async () => {
    const page = await openPage('/history');
    const rows = page.getByRole('table', { name: 'Events' }).locator('tbody tr[data-row-id]');
    await rows.first().waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    const newest = await rows.first().getAttribute('data-row-id');
    await sendJson('POST', api('lab/faults/zero-weights'), { active: false });
    await page.getByText(/paused, [\d,]+ waits?/).waitFor();
    expect(await rows.first().getAttribute('data-row-id')).toBe(newest);
    await page.getByRole('button', { name: 'Follow' }).click();
    await waitUntil(
      'newer events are there',
      async () => (await rows.first().getAttribute('data-row-id')) !== newest,
    );
  });
});
