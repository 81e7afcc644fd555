import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLabServer } from '@/server/lab/server-checks/lab-server';
import { resetConfig } from '@/server/lab/server-checks/served-config';
import { systemClock } from '@/server/observe';
import { describeWithoutLab, openPage } from '../../support/shared-lab';

let path = '';

describe('the page Servers', () => {
  let target: string;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const { adapter, ...started } = await startLabServer(systemClock, {
      serves: ({ isDelta }) => !isDelta,
    });
    await resetConfig(adapter.replace);
    target = started.target;
    close = started.close;
  });
  afterAll(() => close());

  it('checks a server, and shows the messages of a check that fails beside those that are expected', async () => {
    const page = await openPage('/interop/servers');
    await page.getByRole('button', { name: 'Check a server' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('nowhere');
    await dialog.getByRole('button', { name: 'Check', exact: true }).click();
    await dialog.getByText(/expected .* got/).waitFor();
    await dialog.getByLabel('Address').fill(target);
    await dialog.getByRole('checkbox', { name: /^Also reject responses \(S5, D15\)$/ }).check();
    await dialog.getByText('These checks send a NACK').waitFor();
    await dialog.getByRole('checkbox').uncheck();
    await dialog.getByRole('button', { name: 'Check', exact: true }).click();
    const run = page.getByRole('region', { name: target });
    await run.getByText(/^\d+ of \d+ checks$/).waitFor();
    await run.getByRole('link', { name: 'JUnit' }).waitFor({ timeout: 120_000 });
    await run.getByText(/^\d+ of \d+ checks pass, \d+ fail, .* The server was only read\.$/).waitFor();

    const row = page
      .getByRole('row')
      .filter({ hasText: 'An unsubscription from a name beside the wildcard' });
    await row.getByRole('link', { name: 'fails' }).first().click();
    await page.getByRole('heading', { name: /^D10 / }).waitFor();
    await page
      .getByText(/^the first request of CDS was not answered: .* has no delta ADS service$/)
      .waitFor();
    await page.getByText('The server must send a response that includes the specific resource').waitFor();
    const expected = page.getByRole('table', { name: 'Expected messages' });
    const seen = page.getByRole('table', { name: 'Seen messages' });
    await expected
      .getByText(/^c1, c2; .*nonce/)
      .first()
      .waitFor();
    expect(await seen.getByRole('row').count()).toBe(2);
    await page.getByRole('button', { name: 'Copy issue text' }).waitFor();

    await run.getByRole('button', { name: 'Share' }).click();
    const href = await page.getByRole('dialog').getByRole('link').getAttribute('href');
    const { pathname, search } = new URL(href ?? '');
    path = pathname + search;
    expect(path).toMatch(/^\/p\/checks\/[\w-]+\?check=D10$/);
  });

  it('compares servers whose results ship with xdscope', async () => {
    const page = await openPage('/interop/servers');
    const row = page.getByRole('row').filter({ hasText: 'The name * subscribes to all resources' });
    await row.getByRole('link', { name: 'fails' }).first().click();
    await page.getByText('run that ships with xdscope').waitFor();
    await page.getByText(/^CDS without resources/).waitFor();
  });
});

describeWithoutLab('the page Servers', () => {
  it('shows a shared run after a restart', async () => {
    const page = await openPage(path);
    await page.getByRole('heading', { name: /^D10 / }).waitFor();
    await page.getByRole('table', { name: 'Seen messages' }).waitFor();
  });
});
