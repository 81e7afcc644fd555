import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCount } from '@/lib/format/count';
import { formatName } from '@/lib/format/names/format-name';
import type { CertificatePage } from '@/lib/views/certificates/schema';
import type { Churn } from '@/lib/views/churn/schema';
import { statusShape } from '@/lib/views/drawing/status-shape';
import type { FailoverHistory } from '@/lib/views/failover/periods-schema';
import type { FailoverSimulation } from '@/lib/views/failover/schema';
import type { CohortsAnswer } from '@/lib/views/fleet/schema';
import type { Graph } from '@/lib/views/graph/schema';
import type { Issue, IssuePage } from '@/lib/views/issues/schema';
import type { LoadRow } from '@/lib/views/load/rows-schema';
import type { LoadSplit } from '@/lib/views/load/schema';
import type { NackDetail } from '@/lib/views/nacks/schema';
import type { PropagationPage } from '@/lib/views/propagation/schema';
import type { RecentConvergence } from '@/lib/views/pushes/schema';
import type { Resolved } from '@/lib/views/resolved/schema';
import type { ResourceRowJson } from '@/lib/views/resources/row-schema';
import type { HoldersAnswer } from '@/lib/views/search/schema';
import type { Source } from '@/lib/views/sources/schema';
import { makeMeshDump } from '../../support/builders/mesh-dump';
import { fetchApi, getJson, sendJson } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { api, closePage, openPage, story, visit } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

/** A click, opening the search box, or typing a text with Enter at its end. */
const mostActions = 3;

let page: Page;
let actions: number;

function act(): void {
  actions += 1;
  expect(actions, 'actions from the Overview').toBeLessThanOrEqual(mostActions);
}

async function click(target: Locator): Promise<void> {
  act();
  await target.click();
}

/** Opens the search box, types, and takes the choice with this text: with Enter if it is the first, else with a click. */
async function search(text: string, choice: RegExp): Promise<void> {
  act();
  await page.keyboard.press('/');
  act();
  await page.getByRole('combobox', { name: /^Search resources, clients/ }).fill(text);
  const options = page.getByRole('listbox', { name: 'Choices' }).getByRole('option');
  const wanted = options.filter({ hasText: choice }).first();
  await wanted.waitFor();
  if ((await wanted.getAttribute('aria-selected')) === 'true') await page.keyboard.press('Enter');
  else await click(wanted);
}

/** Each question begins at the Overview. */
function question(title: string, answer: () => Promise<void>): void {
  it(title, async () => {
    await visit(page, '/');
    await page.getByRole('heading', { name: 'Issues', exact: true }).waitFor();
    actions = 0;
    await answer();
  });
}

const places = () => page.getByRole('navigation', { name: 'Places' });
const place = (name: RegExp) => places().getByRole('link', { name });
const inspector = () => page.getByRole('region', { name: 'Inspector' });
const listIssues = async () => (await getJson<IssuePage>(api('issues?state=open'))).items;

async function findNack(): Promise<Issue> {
  const issue = (await listIssues()).find(({ kind }) => kind === 'nack');
  if (issue === undefined) throw new Error('expected an open NACK in the lab');
  return issue;
}

async function showsIssues(): Promise<void> {
  const [worst] = await listIssues();
  if (worst === undefined) await page.getByText('No issues').waitFor();
  else await page.getByRole('article', { name: worst.title }).getByText(worst.impact.text).first().waitFor();
}

async function findRow(clientId: string, type: string, name: string): Promise<ResourceRowJson> {
  const { items } = await getJson<{ items: ResourceRowJson[] }>(
    api(`clients/${clientId}/resources?${new URLSearchParams({ type, q: name })}`),
  );
  const row = items.find((each) => each.name === name);
  if (row === undefined) throw new Error(`expected ${type} ${name}`);
  return row;
}

/** The cluster that a tab chose by itself. */
async function shownCluster(): Promise<string> {
  const box = page.getByRole('combobox', { name: 'Cluster' });
  return waitUntil('a cluster is chosen', async () => (await box.inputValue()) || undefined);
}

/** 4: the version and the content of a cluster at a client. */
async function showsCluster(clientId: string, nodeId: string, name: string, typed: string): Promise<void> {
  await search(typed, /^CDS/);
  const table = page.getByRole('table', { name: 'Clients that have the resource' });
  await click(table.getByRole('link', { name: nodeId }).first());
  const { versionInfo } = await findRow(clientId, 'CDS', name);
  await inspector().getByText(versionInfo, { exact: true }).first().waitFor();
  const body = inspector().getByRole('textbox', { name: `Payload of ${name}` });
  await body.getByText(`name: ${name}`).first().waitFor();
}

/** 6: the endpoints of a cluster and their health. */
async function showsEndpoints(clientId: string, words: string, cluster: string): Promise<void> {
  await search(`${words} graph`, /^\s*Show Graph of /);
  act();
  const find = `resource="${cluster}"`;
  await page.getByRole('combobox', { name: 'Find in the graph' }).fill(find);
  const { nodes } = await getJson<Graph>(api(`clients/${clientId}/graph?${new URLSearchParams({ find })}`));
  const endpoints = nodes.filter(({ kind, resourceName }) => kind === 'endpoint' && resourceName === cluster);
  expect(endpoints.length).toBeGreaterThan(0);
  for (const { name, status } of endpoints) {
    const label = new RegExp(`^endpoint ${name}\\b.*${statusShape(status).word}`);
    await page.getByRole('button', { name: label }).first().waitFor({ state: 'attached' });
  }
}

/** 7: why a client is not ready, or that it is. */
async function showsReadiness(clientId: string, words: string): Promise<void> {
  await search(`${words} effective`, /^\s*Show Effective config of /);
  const resolved = await getJson<Resolved>(api(`clients/${clientId}/resolved`));
  const verdict = page.getByRole('region', { name: 'Verdict' });
  const { start, missing } = resolved;
  await verdict
    .getByText(start?.listener ?? '')
    .first()
    .waitFor();
  for (const { name } of missing.slice(0, 1)) await page.getByText(name).first().waitFor();
}

/** 13: what happens if a zone fails. */
async function showsZoneFailure(clientId: string, words: string): Promise<void> {
  await search(`${words} failover`, /^\s*Show Failover of /);
  const condition = page.getByRole('combobox', { name: /^Condition of P0, [^,]+$/ }).first();
  const label = (await condition.getAttribute('aria-label')) ?? '';
  act();
  await condition.selectOption('dead');
  await page.waitForURL(/changes=/);
  const cluster = await shownCluster();
  const locality = label.replace('Condition of P0, ', '');
  const changes = [{ kind: 'condition', at: 0, target: { priority: 0, locality }, to: 'dead' }];
  const answer = await sendJson('POST', api('failover/simulate'), { client: clientId, cluster, changes });
  expect(answer.status, await answer.clone().text()).toBe(200);
  const { moments } = (await answer.json()) as FailoverSimulation;
  const side = page.getByRole('region', { name: 'Failover', exact: true });
  const sentences = [moments[0]?.grpc.sentences[0], moments[0]?.envoy.sentences[0]];
  await waitUntil('the page states what the simulation answers', async () => {
    const text = (await side.textContent()) ?? '';
    return sentences.some((sentence) => sentence !== undefined && text.includes(sentence));
  });
}

/** 18: which certificate expires next. */
async function showsCertificates(): Promise<void> {
  await click(place(/^Clients/));
  await click(page.getByRole('link', { name: 'Certificates' }));
  const { items } = await getJson<CertificatePage>(api('certificates?limit=1'));
  const [next] = items;
  if (next === undefined) await page.getByText('No certificates reported').waitFor();
  else await page.locator('tr[data-row-id]').first().getByText(next.names.join(', ')).first().waitFor();
}

describe('the questions of an operator, in at most three actions from the Overview', () => {
  let web: string;
  beforeAll(async () => {
    web = (await findClient(story, 'shop-web')).id;
    page = await openPage('/');
  });
  afterAll(() => closePage());

  question('1. Is anything wrong now?', showsIssues);

  question('2. Which resource NACKed, by whom, why, since when?', async () => {
    const { title, clients, since, cause } = await findNack();
    const card = page.getByRole('article', { name: title });
    await card
      .getByText(clients.items[0]?.nodeId ?? '')
      .first()
      .waitFor();
    for (const { text } of cause.slice(0, 2)) await card.getByText(text).first().waitFor();
    await card.locator(`time[datetime="${new Date(since ?? 0).toISOString()}"]`).waitFor();
  });

  question('3. Which field of the payload that was sent?', async () => {
    const { title, evidence } = await findNack();
    const target = evidence.find(({ target }) => target.kind === 'nack')?.target;
    await click(page.getByRole('article', { name: title }).getByRole('link', { name: 'Rejected payload' }));
    const { statements } = await getJson<NackDetail>(
      api(`nacks/${target?.kind === 'nack' && target.groupId}`),
    );
    const path = statements[0]?.field?.path ?? '';
    expect(path).not.toBe('');
    await page.getByText(path, { exact: true }).first().waitFor();
    await page.getByRole('textbox', { name: /^Payload of / }).waitFor();
  });

  question('4. Which version and content of a cluster does a client have?', () =>
    showsCluster(web, 'shop-web', 'catalog-stable', 'catalog-stable'),
  );

  question('6. Which endpoints does a cluster have, and which are healthy?', () =>
    showsEndpoints(web, 'shop-web', 'catalog-stable'),
  );

  question('7. Why is a client not ready?', async () => {
    const { id } = await findClient(story, 'shop-checkout');
    await showsReadiness(id, 'shop-checkout');
  });

  question('8. What changed in the last 10 minutes?', async () => {
    await search('10m ago', /Show the pushes since this time/);
    const { items } = await getJson<RecentConvergence>(
      api(`convergence/recent?from=${new Date(Date.now() - 600_000).toISOString()}`),
    );
    const [newest] = items;
    const rows = page.locator('tr[data-row-id]');
    await rows.first().waitFor();
    for (const name of newest?.names.slice(0, 1) ?? []) await rows.getByText(name).first().waitFor();
  });

  question('9. What differs between two clients?', async () => {
    const mobile = (await findClient(story, 'shop-mobile')).id;
    await search('compare shop-web with shop-mobile', /Compare shop-web with shop-mobile/);
    const query = new URLSearchParams({ left: `client/${web}`, right: `client/${mobile}` });
    const { counts } = await getJson<{ counts: Record<string, number> }>(api(`diff?${query}`));
    for (const count of [counts.removed, counts.added]) {
      const option = page.locator('option', { hasText: `(${formatCount(count ?? 0)})` });
      await option.first().waitFor({ state: 'attached' });
    }
  });

  question('10. Does a client run what the control plane sent?', async () => {
    await search('shop-web propagation', /^\s*Show Propagation of shop-web/);
    const { counts } = await getJson<PropagationPage>(api(`clients/${web}/propagation`));
    await page.getByText(`${counts.agree} agree`).waitFor();
  });

  question('11. Which clients ACKed a push, and which are stuck?', async () => {
    await click(place(/^Pushes/));
    const row = page.locator('tr[data-row-id]').first();
    const { items } = await getJson<RecentConvergence>(api('convergence/recent'));
    expect(items.length).toBeGreaterThan(0);
    await click(row.getByRole('link').first());
    await page.getByRole('table', { name: /^Clients: \d+ of \d+ ACKed/ }).waitFor();
  });

  question('12. What changes too often, and what is pushed without need?', async () => {
    await click(place(/^Pushes/));
    await click(page.getByRole('link', { name: 'By resource' }));
    const { resources } = await getJson<Churn>(api('churn'));
    const table = page.getByRole('table', { name: 'Resources that change most' });
    const [first] = resources;
    if (first === undefined) await page.getByText('No changes in this time range').waitFor();
    else await table.getByText(first.name).first().waitFor();
    await page.getByRole('table', { name: /^Pushes with a new version and equal content/ }).waitFor();
  });

  question('13. What happens if a zone fails?', () => showsZoneFailure(web, 'shop-web'));

  question('14. When was there a failover, and why?', async () => {
    await search('shop-web failover', /^\s*Show Failover of shop-web/);
    const happened = page.getByRole('region', { name: 'Failover history' });
    await happened.getByRole('listitem').first().waitFor();
    const cluster = await shownCluster();
    const { items } = await getJson<FailoverHistory>(
      api(`clients/${web}/failovers?${new URLSearchParams({ cluster })}`),
    );
    const newest = items.findLast(({ grpcSentences }) => grpcSentences.length > 0);
    await happened
      .getByText(newest?.grpcSentences[0] ?? 'a reason')
      .first()
      .waitFor();
  });

  question('15. How do requests split, expected and measured?', async () => {
    await search('shop-web load', /^\s*Show Load of shop-web/);
    await click(page.getByRole('radio', { name: 'Expected vs. actual' }));
    const table = page.getByRole('table', { name: 'Expected vs. actual' }).first();
    await table.waitFor();
    const cluster = await shownCluster();
    const query = new URLSearchParams({ client: web, cluster });
    const { lines } = await getJson<LoadSplit>(api(`load/split?${query}`));
    expect(lines.length).toBeGreaterThan(0);
    for (const { name } of lines) await table.getByRole('rowheader', { name }).first().waitFor();
  });

  question('16. Who has errors, and to which cluster?', async () => {
    await click(place(/^Load/));
    const { items } = await getJson<{ items: LoadRow[] }>(api('load'));
    const failing = items.find(({ localities }) => localities.some(({ errors }) => errors !== '0'));
    const table = page.getByRole('table', { name: /over time$/ });
    await table.getByRole('rowheader').first().waitFor();
    const first = (await table.getByRole('rowheader').first().textContent()) ?? '';
    expect(failing === undefined || /[1-9][\d,]* failed/.test(first), first).toBe(true);
  });

  question('17. Which clients are outliers, and what do they have in common?', async () => {
    await click(place(/^Clients/));
    await click(page.getByRole('link', { name: 'Cohorts' }));
    const { total } = await getJson<CohortsAnswer>(api('cohorts'));
    await page.getByRole('heading', { name: new RegExp(`^${total} cohorts?$`) }).waitFor();
  });

  question('18. Which certificate expires next?', showsCertificates);

  question('19. Which clients hold a cluster?', async () => {
    await search('payment-v1', /^CDS\s*payment-v1/);
    const { items } = await getJson<HoldersAnswer>(api('holders?type=CDS&name=payment-v1'));
    const table = page.getByRole('table', { name: 'Clients that have the resource' });
    for (const { nodeId } of items)
      await table
        .getByRole('link', { name: formatName(nodeId) })
        .first()
        .waitFor();
  });

  question('20. What did a client run at a moment?', async () => {
    const at = new Date(Date.now() - 10_000).toISOString().slice(0, 19);
    await search(`shop-web ${at.replace('T', ' ')} UTC`, /^\s*Show shop-web/);
    await page.waitForURL((url) => url.searchParams.get('at') === `${at}.000Z`);
    const { nodes } = await getJson<Graph>(api(`clients/${web}/graph?at=${at}.000Z`));
    const cluster = nodes.find(({ kind }) => kind === 'cluster');
    const node = page.getByRole('button', { name: new RegExp(`^cluster ${cluster?.name}\\b`) });
    await node.first().waitFor({ state: 'attached' });
  });

  describe('on an imported dump of 10,000 clusters', () => {
    const gateway = 'gateway-0';
    const cluster = 'outbound|8080||service-9876.mesh.svc.cluster.local';
    let source: Source;
    let client: string;

    beforeAll(async () => {
      const response = await fetchApi(api('imports?name=mesh.json'), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: makeMeshDump(10_000),
      });
      source = (await response.json()) as Source;
      client = (await findClient(story, gateway)).id;
      await waitUntil('all of the dump is read', async () => {
        const holders = await getJson<HoldersAnswer>(
          api(`holders?${new URLSearchParams({ type: 'EDS', name: cluster })}`),
        );
        const certificates = await getJson<CertificatePage>(api('certificates'));
        return holders.clients > 0 && certificates.total > 0;
      });
      // The workers decode all of its resources first, which takes long beside other tests.
      for (const asked of ['graph', 'resolved', 'lb-tree']) await getJson(api(`clients/${client}/${asked}`));
    });
    afterAll(async () => {
      await fetchApi(api(`imports/${encodeURIComponent(source.id)}`), { method: 'DELETE' });
    });

    question('1. Is anything wrong now?', showsIssues);
    question('4. Which version and content of a cluster does a client have?', () =>
      showsCluster(client, gateway, cluster, 'service-9876'),
    );
    question('6. Which endpoints does a cluster have, and which are healthy?', () =>
      showsEndpoints(client, gateway, cluster),
    );
    question('7. Why is a client not ready?', () => showsReadiness(client, gateway));
    question('13. What happens if a zone fails?', () => showsZoneFailure(client, gateway));
    question('18. Which certificate expires next?', showsCertificates);
  });
});
