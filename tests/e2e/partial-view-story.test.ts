import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FleetPage } from '@/lib/views/fleet/schema';
import { type CsdsServer, startCsdsServer } from '../support/csds-server';
import { getJson } from '../support/e2e-server';
import { type Story, startStory } from '../support/e2e-story';
import { response, SimulatedFleet } from '../support/simulated-fleet';
import { waitUntil } from '../support/wait-until';

const planes = 3;
const perPlane = 5;
const servers: CsdsServer[] = [];
let story: Story;
let page: Page;

/** The CSDS answer of one control plane about its share of the clients. */
function answerOf(plane: number): Buffer {
  const fleet = new SimulatedFleet({
    clients: perPlane,
    first: plane * perPlane,
    resources: 4,
    answerBytes: 1_400,
  });
  return response(Array.from({ length: perPlane }, (_, index) => fleet.configOf(index)));
}

const nameOf = (plane: number): string => `127.0.0.1:${servers[plane]?.target.port}`;

beforeAll(async () => {
  for (let plane = 0; plane < planes; plane++) {
    const answer = answerOf(plane);
    servers.push(await startCsdsServer(() => answer));
  }
  story = await startStory(servers.flatMap((_, plane) => ['--csds', nameOf(plane)]));
  page = await story.newPage();
});
afterAll(async () => {
  await story.end();
  for (const server of servers) server.close();
  expect(story.pageErrors).toEqual([]);
});

describe('three control planes of which one stops', () => {
  const partial = () => page.getByRole('region', { name: 'Partial view' });

  it('are a complete view while all of them answer', async () => {
    await waitUntil(
      'all clients are there',
      async () =>
        (await getJson<FleetPage>(`${story.server.url}/api/v1/fleet?limit=0`)).total.clients ===
        planes * perPlane,
      60_000,
    );
    await page.goto(`${story.server.url}/clients`);
    await page
      .getByText(`${planes * perPlane} clients`)
      .first()
      .waitFor();
    expect(await partial().count()).toBe(0);
  });

  it('become a partial view, which states what is missing and since when', async () => {
    servers[1]?.close();
    await partial().waitFor({ timeout: 60_000 });
    await partial().getByText('1 of 3 sources not responding').waitFor();
    await partial().getByText(nameOf(1)).waitFor();
    await partial()
      .getByText(/last response/)
      .waitFor();
    // The clients of the server stay, marked as stale, and are counted.
    await page.getByText(`${perPlane} clients stale`).first().waitFor({ timeout: 60_000 });
    await page.getByRole('link', { name: 'shop-000005' }).waitFor();
    const { total } = await getJson<FleetPage>(`${story.server.url}/api/v1/fleet?limit=0`);
    expect(total).toMatchObject({ clients: planes * perPlane, stale: perPlane });
  });

  it('become a complete view again when it is back', async () => {
    const answer = answerOf(1);
    servers[1] = await startCsdsServer(() => answer, { port: servers[1]?.target.port });
    await partial().waitFor({ state: 'detached', timeout: 60_000 });
  });
});
