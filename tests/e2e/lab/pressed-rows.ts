import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LabResource } from '@/lib/views/lab/schema';
import { CDS, RDS } from '@/lib/xds/resource-type';
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
  /** Moves the pressed one in a page that shows the newest data. `shown`: see shownUntil(). */
  readonly change: (shown: string) => Promise<void>;
  /** What a pressed tab requests from the API after the change; null: it requests nothing until the pointer is released. */
  readonly request: RegExp | null;
  /** True if the address shows that the click acted on it. */
  readonly isOpen: (url: URL, id: string) => boolean;
}

let page: Page;
/** Another tab with the same page: what it shows has reached the pressed one as well. */
let watcher: Page;
let webId: string;
/** By row of the Clients page, which sorts by change: a cluster whose change moves this row to the top. */
let clusterOfClient: Readonly<Record<string, string>>;
const clusterOfResource = {
  'CDS:cart': 'cart',
  'CDS:recommendations': 'recommendations',
  'CDS:catalog-stable': 'catalog-stable',
};
const initial = new Map<string, LabResource>();

function initialOf(typeUrl: string, name: string): object {
  const found = initial.get(`${typeUrl} ${name}`)?.resource;
  if (found === undefined) throw new Error(`the lab has no ${typeUrl} "${name}"`);
  return found as object;
}

async function put(typeUrl: string, resource: object): Promise<void> {
  expect((await sendJson('PUT', api('lab/resources'), { typeUrl, resource })).status).toBe(200);
}

/** Changes a field that gRPC uses: grpc-js keeps the version of a resource, and so its row, if only others change. */
let changes = 0;
async function changeCluster(name: string): Promise<void> {
  changes += 1;
  const circuitBreakers = { thresholds: [{ maxRequests: 1_000 + changes }] };
  await put(CDS.typeUrl, { ...initialOf(CDS.typeUrl, name), circuitBreakers });
}

/** Moves one of these rows to the top, above those that are shown: the newest one would stay where it is. */
async function changeOther(clusterOf: Readonly<Record<string, string>>, shown: string): Promise<void> {
  const [, cluster] = Object.entries(clusterOf).find(([id]) => !shown.split(' ').includes(id)) ?? [];
  if (cluster === undefined) throw new Error(`all of ${Object.keys(clusterOf)} are in "${shown}"`);
  await changeCluster(cluster);
}

/** Adds a route before those of "web-routes", to a cluster that only it leads to; or removes it. */
let hasRoute = false;
async function toggleRoute(): Promise<void> {
  hasRoute = !hasRoute;
  const routes = initialOf(RDS.typeUrl, 'web-routes') as { virtualHosts: { routes: object[] }[] };
  const added = { name: 'orders', match: { prefix: '/shop.v1.Orders/' }, route: { cluster: 'orders' } };
  const virtualHosts = routes.virtualHosts.map((host) => ({
    ...host,
    routes: [...(hasRoute ? [added] : []), ...host.routes],
  }));
  await put(RDS.typeUrl, { ...routes, virtualHosts });
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

/** The IDs of the elements that a page shows, in their order, up to this one. */
async function shownUntil(of: Page, { items, attribute }: Place, id: string): Promise<string> {
  const read = (all: Element[], name: string) => all.map((each) => each.getAttribute(name));
  const ids = await of.locator(items).evaluateAll(read, attribute);
  return ids.slice(0, ids.indexOf(id) + 1).join(' ');
}

/** A tab stop above all pages. */
const skipLink = (): Locator => page.getByRole('button', { name: 'Skip to the table or graph' });

async function waitForSame(place: Place, id: string): Promise<void> {
  const areSame = async () => {
    // With the page, focus returns to the row that was left, and keeps the order of what was shown first.
    await skipLink().focus();
    return (await shownUntil(page, place, id)) === (await shownUntil(watcher, place, id));
  };
  await waitUntil('both tabs show the same', areSame, labStartMs);
}

/** Presses the pointer on an element, lets the data change until another tab shows it elsewhere, and releases the pointer. */
async function pressDuringChange(place: Place): Promise<void> {
  await visit(page, place.path);
  await visit(watcher, place.path);
  await page.locator(place.items).nth(place.pressed).waitFor();
  const find = async () =>
    (await page.locator(place.items).nth(place.pressed).getAttribute(place.attribute)) ?? '';
  // What earlier changes led to is shown by both.
  await waitForSame(place, await find());
  const id = await find();
  const pressed = itemIn(page, place, id);
  await itemIn(watcher, place, id).waitFor();
  await pressed.scrollIntoViewIfNeeded();
  const before = await pressed.boundingBox();
  const { x, y, height } = before ?? { x: 0, y: 0, height: 0 };
  const address = page.url();
  const changeUntilShown = async () => {
    const shown = await shownUntil(watcher, place, id);
    await place.change(shown);
    const isMoved = async () => (await shownUntil(watcher, place, id)) !== shown;
    await waitUntil(`another tab shows ${id} elsewhere`, isMoved, labStartMs);
  };

  await page.mouse.move(x + 6, y + height / 2);
  await page.mouse.down();
  try {
    const { request } = place;
    if (request === null) {
      // Both tabs request at the same interval: this one would show the first change before the other one shows the second.
      await changeUntilShown();
      await changeUntilShown();
    } else {
      await Promise.all([page.waitForResponse((answer) => request.test(answer.url())), changeUntilShown()]);
    }
    expect(await pressed.boundingBox(), `${place.title}: ${id} has moved`).toEqual(before);
  } finally {
    await page.mouse.up();
  }
  await page.waitForFunction((left) => location.href !== left, address);
  expect(place.isOpen(new URL(page.url()), id), `${place.title}: ${page.url()} is of ${id}`).toBe(true);
  // The changes that were held back are shown now.
  await visit(page, place.path);
  await waitForSame(place, id);
}

/** Focuses the second row of a table, lets the data change until another tab shows the row elsewhere, and leaves the table. */
async function focusDuringChange(place: Place): Promise<void> {
  await visit(page, place.path);
  await visit(watcher, place.path);
  const second = page.locator(place.items).nth(1);
  await second.waitFor();
  await waitForSame(place, (await second.getAttribute(place.attribute)) ?? '');
  const focused = page.locator(`${place.items}:focus`);
  await skipLink().press('Enter');
  await focused.press('Home');
  await focused.press('ArrowDown');
  const id = (await focused.getAttribute(place.attribute)) ?? '';
  const shown = await shownUntil(page, place, id);

  await place.change(shown);
  const isMoved = async (of: Page) => (await shownUntil(of, place, id)) !== shown;
  await waitUntil(`another tab shows ${id} elsewhere`, () => isMoved(watcher), labStartMs);
  // It is displayed if the data has another order.
  const kept = page.getByText('The order is kept while a row has focus');
  await kept.waitFor();
  expect(await isMoved(page), `${place.title}: ${id} has moved`).toBe(false);
  expect(await focused.getAttribute(place.attribute)).toBe(id);

  // Focus leaves the row, and then the table.
  while ((await page.locator('tbody :focus, tbody:focus').count()) > 0)
    await page.keyboard.press('Shift+Tab');
  await kept.waitFor({ state: 'hidden' });
  await waitForSame(place, id);
  expect(await isMoved(page)).toBe(true);
}

const clusters = ['cart', 'recommendations', 'catalog-stable', 'payment-v1'];
const rows = { items: 'main tr[data-row-id]', attribute: 'data-row-id', pressed: 0 };

describe('while the data changes', () => {
  beforeAll(async () => {
    webId = (await findClient(story, 'shop-web')).id;
    const { id: checkoutId } = await findClient(story, 'shop-checkout');
    const { id: mobileId } = await findClient(story, 'shop-mobile');
    clusterOfClient = { [checkoutId]: 'payment-v1', [webId]: 'recommendations', [mobileId]: 'cart' };
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
    await put(RDS.typeUrl, initialOf(RDS.typeUrl, 'web-routes'));
    for (const name of clusters) await put(CDS.typeUrl, initialOf(CDS.typeUrl, name));
  });

  const places: Record<string, () => Place> = {
    Overview: () => ({
      ...{ title: 'Overview', path: '/', items: 'main article h3 a', attribute: 'href', pressed: -1 },
      request: /v1[/]issues/,
      change: () => toggleFault('priority-gap'),
      isOpen: ({ pathname }, id) => pathname === id,
    }),
    Clients: () => ({
      ...{ title: 'Clients', path: '/clients?sort=changed&desc=true&q=shop-', ...rows },
      // Every change moves the probes as well, so they are not shown.
      request: /v1[/]fleet/,
      change: (shown) => changeOther(clusterOfClient, shown),
      isOpen: ({ pathname }, id) => pathname.startsWith(`/clients/${id}`),
    }),
    NACKs: () => ({
      ...{ title: 'NACKs', path: '/nacks', ...rows, pressed: -1 },
      request: /v1[/]nacks/,
      change: () => toggleFault('unsupported-policy'),
      isOpen: ({ pathname }, id) => decodeURIComponent(pathname) === `/nacks/${id}`,
    }),
    Pushes: () => ({
      ...{ title: 'Pushes', path: '/pushes', ...rows },
      request: /v1[/]convergence/,
      change: () => changeCluster('cart'),
      isOpen: ({ pathname, search }, id) => pathname + search === id,
    }),
    Resources: () => ({
      ...{ title: 'Resources', path: `/clients/${webId}/resources?sort=-changed`, ...rows },
      // The stream changes the rows, after which they are counted.
      request: /resources[?]limit=0/,
      // The focus of the pressed row keeps the order of the others, and new ones are first.
      change: toggleRoute,
      isOpen: ({ searchParams }, id) => searchParams.get('resource') === id,
    }),
    History: () => ({
      ...{ title: 'History', path: `/clients/${webId}/history`, ...rows, request: null },
      change: () => changeCluster('cart'),
      isOpen: ({ searchParams }, id) => searchParams.get('event') === id,
    }),
    Graph: () => ({
      ...{ title: 'Graph', path: `/clients/${webId}/graph`, request: /[/]graph[?]/ },
      // A route, which moves down below the added one, or up.
      ...{ items: 'main svg [data-id]', attribute: 'data-id', pressed: 5 },
      change: toggleRoute,
      isOpen: ({ searchParams }, id) => searchParams.get('node') === id,
    }),
  };
  it.each(Object.keys(places))('a press acts on what was pressed: %s', async (title) => {
    const place = places[title]?.();
    if (place !== undefined) await pressDuringChange(place);
  });

  const changes: Record<string, Place['change']> = {
    Clients: (shown) => changeOther(clusterOfClient, shown),
    Resources: (shown) => changeOther(clusterOfResource, shown),
  };
  it.each(Object.entries(changes))(
    'a row with focus keeps the order of its table: %s',
    async (title, change) => {
      const place = places[title]?.();
      if (place !== undefined) await focusDuringChange({ ...place, change });
    },
  );
});
