import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LabResource } from '@/lib/views/lab/schema';
import { CDS } from '@/lib/xds/resource-type';
import { getJson, sendJson } from '../../support/e2e-server';
import { findClient, labStartMs } from '../../support/e2e-story';
import { api, openPage, story, visit } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

interface Place {
  readonly title: string;
  readonly path: string;
  /** The elements in their order, each with an ID in the attribute. */
  readonly items: string;
  readonly attribute: string;
  /** The index of the pressed one. */
  readonly pressed: number;
  /** Moves the pressed one in a page that shows the newest data. */
  readonly change: (pressedId: string) => Promise<void>;
  /** True if the address shows that the click acted on it. */
  readonly isOpen: (url: URL, id: string) => boolean;
}

let page: Page;
/** Another tab with the same page: what it shows has reached the pressed one as well. */
let watcher: Page;
let checkoutId: string;
const initial = new Map<string, LabResource>();

function initialOf(typeUrl: string, name: string): object {
  const found = initial.get(`${typeUrl} ${name}`)?.resource;
  if (found === undefined) throw new Error(`the lab has no ${typeUrl} "${name}"`);
  return found as object;
}

async function put(typeUrl: string, resource: object): Promise<void> {
  expect((await sendJson('PUT', api('lab/resources'), { typeUrl, resource })).status).toBe(200);
}

let changes = 0;
async function changeCluster(name: string): Promise<void> {
  changes += 1;
  await put(CDS.typeUrl, { ...initialOf(CDS.typeUrl, name), connectTimeout: `${4 + changes / 100}s` });
}

/** Injects a fault, or reverts it. */
const active = new Set<string>();
async function toggleFault(name: string): Promise<void> {
  if (!active.delete(name)) active.add(name);
  const answer = await sendJson('POST', api(`lab/faults/${name}`), { active: active.has(name) });
  expect(answer.status).toBe(200);
}

const itemIn = (of: Page, { items, attribute }: Place, id: string): Locator =>
  of.locator(`${items}[${attribute}=${JSON.stringify(id)}]`);

/** Returns the place of an element in pixels; "null" if it is not there. */
async function placeOf(item: Locator): Promise<string> {
  return (await item.count()) === 0 ? 'null' : JSON.stringify(await item.boundingBox());
}

/** The number of answers of the API that a page has received. */
function countAnswers(of: Page): () => number {
  let count = 0;
  of.on('requestfinished', (request) => {
    if (request.url().includes('/api/v1/')) count += 1;
  });
  return () => count;
}

/** Presses the pointer on an element, lets the data change until another tab shows it elsewhere, and releases the pointer. */
async function pressDuringChange(place: Place): Promise<void> {
  await visit(page, place.path);
  await visit(watcher, place.path);
  await page.locator(place.items).nth(place.pressed).waitFor();
  const id = (await page.locator(place.items).nth(place.pressed).getAttribute(place.attribute)) ?? '';
  const [pressed, watched] = [itemIn(page, place, id), itemIn(watcher, place, id)];
  await watched.waitFor();
  await pressed.scrollIntoViewIfNeeded();
  const { x, y, height } = (await pressed.boundingBox()) ?? { x: 0, y: 0, height: 0 };
  const [before, elsewhere] = [await placeOf(pressed), await placeOf(watched)];
  const address = page.url();
  const [answers, watchedAnswers] = [countAnswers(page), countAnswers(watcher)];

  await page.mouse.move(x + 6, y + height / 2);
  await page.mouse.down();
  try {
    await place.change(id);
    await waitUntil(
      `another tab shows ${id} elsewhere`,
      async () => (await placeOf(watched)) !== elsewhere,
      labStartMs,
    );
    await waitUntil('this tab has received as much', () => answers() >= watchedAnswers());
    expect(await placeOf(pressed), `${place.title}: ${id} has moved`).toBe(before);
  } finally {
    await page.mouse.up();
  }
  await page.waitForFunction((left) => location.href !== left, address);
  expect(place.isOpen(new URL(page.url()), id), `${place.title}: ${page.url()} is of ${id}`).toBe(true);
  // The changes that were held back are shown now.
  await visit(page, place.path);
  await waitUntil(
    'both tabs show the same',
    async () => (await placeOf(pressed)) === (await placeOf(watched)),
    labStartMs,
  );
}

/** The first cluster is of shop-web and shop-mobile, the second one of shop-web, the third one of shop-checkout. */
const clusters = ['cart', 'search', 'payment-v1'];
const rows = { items: 'main tr[data-row-id]', attribute: 'data-row-id', pressed: 0 };

describe('a press while the data changes', () => {
  beforeAll(async () => {
    await findClient(story, 'shop-web');
    checkoutId = (await findClient(story, 'shop-checkout')).id;
    await findClient(story, 'shop-mobile');
    const { items } = await getJson<{ items: LabResource[] }>(api('lab/resources'));
    for (const item of items) initial.set(`${item.typeUrl} ${item.name}`, item);
    page = await openPage('/');
    await toggleFault('zero-weights');
    watcher = await story.newPage();
    await watcher.goto(`${story.server.url}/`);
  });
  afterAll(async () => {
    await watcher?.close();
    // Other stories compare with what the lab starts with.
    for (const name of active) await toggleFault(name);
    for (const name of clusters) await put(CDS.typeUrl, initialOf(CDS.typeUrl, name));
  });

  const places: Record<string, () => Place> = {
    Overview: () => ({
      ...{ title: 'Overview', path: '/', items: 'main article h3 a', attribute: 'href', pressed: -1 },
      change: () => toggleFault('missing-cluster'),
      isOpen: ({ pathname }, id) => pathname === id,
    }),
    Clients: () => ({
      ...{ title: 'Clients', path: '/clients?sort=changed&desc=true', ...rows },
      change: (pressedId) => changeCluster(pressedId === checkoutId ? 'search' : 'payment-v1'),
      isOpen: ({ pathname }, id) => pathname.startsWith(`/clients/${id}`),
    }),
    NACKs: () => ({
      ...{ title: 'NACKs', path: '/nacks', ...rows, pressed: -1 },
      change: () => toggleFault('priority-gap'),
      isOpen: ({ pathname }, id) => decodeURIComponent(pathname) === `/nacks/${id}`,
    }),
    Pushes: () => ({
      ...{ title: 'Pushes', path: '/pushes', ...rows },
      change: () => changeCluster('cart'),
      isOpen: ({ pathname, search }, id) => pathname + search === id,
    }),
  };
  it.each(Object.keys(places))('acts on what was pressed: %s', async (title) => {
    const place = places[title]?.();
    if (place !== undefined) await pressDuringChange(place);
  });
});
