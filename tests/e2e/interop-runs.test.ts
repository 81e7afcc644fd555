import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { InteropMatrix, InteropRun } from '@/lib/interop/run-schema';
import type { Observation } from '@/lib/observation/observation';
import { getJson, tokenFlag } from '../support/e2e-server';
import { findClient, type Story, startStory } from '../support/e2e-story';
import { waitUntil } from '../support/wait-until';

/** A case takes some seconds on an idle machine. */
const runMs = 120_000;

const testCase = 'secondary_locality_gets_requests_on_primary_failure';

let story: Story;

const api = (path: string): string => `${story.server.url}/api/v1/interop/${path}`;

beforeAll(async () => {
  story = await startStory(['--lab', '--no-background-faults', tokenFlag]);
  await findClient(story, 'shop-web');
});
afterAll(() => story.end());

/** The run of the page when it has ended. On a machine that is too busy it proves nothing, and is run again. */
async function untilProven(page: Page): Promise<InteropRun> {
  for (let attempt = 1; ; attempt += 1) {
    await page.waitForURL(/\/interop\/runs\/.+/);
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const run = await waitUntil(
      'the run has ended',
      async () => {
        const found = await getJson<InteropRun>(api(`runs/${id}`));
        return found.state === 'ended' ? found : undefined;
      },
      runMs,
    );
    if (run.verdict !== 'inconclusive' || attempt === 3) return run;
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
  }
}

it('runs a case, whose failover is seen at each step, and to which the matrix leads', async () => {
  const page = await story.newPage();
  await page.goto(`${story.server.url}/interop`);
  await page.getByText('No case was run here yet').waitFor();
  await page.getByRole('columnheader', { name: /^grpc-js .* in this fleet, / }).waitFor();
  const tabs = page.getByRole('navigation', { name: 'Interop' });
  await tabs.getByRole('link', { name: 'Runs' }).click();

  const form = page.getByRole('form', { name: 'Run cases' });
  await form.getByLabel('Case').selectOption(testCase);
  await form.getByRole('button', { name: 'Run' }).click();
  await page.waitForURL(/\/interop\/runs\/.+/);
  // The views of the client are shown as soon as a source reports it, while the case runs.
  await page.getByRole('radio', { name: 'Failover' }).waitFor({ timeout: runMs });
  const run = await untilProven(page);
  expect(run, JSON.stringify(run)).toMatchObject({ verdict: 'works', case: testCase });
  const { items } = await getJson<{ items: readonly Observation[] }>(
    `${story.server.url}/api/v1/history?${new URLSearchParams({ client: run.clientId ?? '', limit: '200' })}`,
  );
  const reported = items.filter(({ kind }) => kind === 'client-config-changed').map(({ at }) => at);
  for (const [index, { at }] of run.steps.slice(1).entries()) {
    const before = run.steps[index]?.at ?? 0;
    expect(reported.filter((each) => each > before && each <= at)).not.toEqual([]);
  }
  const steps = page.getByRole('list').filter({ hasText: 'Expected:' });
  await steps
    .getByRole('button')
    .nth(run.of - 1)
    .waitFor();
  const failover = page.getByRole('region', { name: 'Failover history' });
  await failover.getByRole('listitem').filter({ hasText: 'gRPC: P1' }).first().waitFor();

  await steps.getByRole('button').nth(1).click();
  await page.getByRole('heading', { name: 'The client at step 2' }).waitFor();
  await page.getByRole('radio', { name: 'Graph' }).click();
  await page.waitForURL(/step=2.*view=graph|view=graph.*step=2/);

  const matrix = await getJson<InteropMatrix>(api('matrix'));
  const isRun = (each: InteropMatrix['cells'][number]) =>
    each.case === testCase && each.client.name === 'grpc-js';
  expect(matrix.cells.find(isRun)).toMatchObject({ verdict: 'works', runId: run.id });
  await page.goto(`${story.server.url}/interop?q=primary_failure`);
  await page
    .getByRole('link', {
      name: /^Run of secondary_locality_gets_requests_on_primary_failure with grpc-js .*: works$/,
    })
    .click();
  await page.waitForURL(new RegExp(`/interop/runs/${run.id}`));
  expect(story.pageErrors).toEqual([]);
});
