import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildClientDetail } from '@/lib/views/client/build-client-summary';
import type { View } from '@/lib/views/permalinks/schema';
import type { PropagationRow } from '@/lib/views/propagation/schema';
import { parsePermalink } from '@/server/answers/permalinks/parse-permalink';
import type { StoredPropagation } from '@/server/answers/permalinks/stored-propagation';
import type { KnownSettings } from '@/server/answers/subjects/known-settings';
import { projectRoot } from '@/server/project-root';
import { newPermalinkId } from '@/server/store/recorder/recorder';
import { clusterLoad, loadReported, localityLoad } from '../../../support/builders/load-samples';
import { sampleResource } from '../../../support/builders/observation-samples';
import { clientStateOf } from '../../../support/builders/recorder-emissions';
import { resourceRow } from '../../../support/builders/resource-row';
import { openPermalinks, type PermalinkStory, startPermalinks } from '../../../support/permalink-story';

const time = Date.parse('2026-01-01T00:00:00.000Z');
const moment = { at: time, seq: 7, incomplete: 'the log begins later' };
const freshness = { freshness: 'live', reason: '', lastSeenAt: 1 } as const;
const summary = buildClientDetail(clientStateOf('c', 1, [sampleResource()]), () => freshness);
const nonces = { sent: 'n2', acked: 'n1' };
const typeSync = {
  typeUrl: 't',
  service: 'CDS',
  configStatus: 'STALE',
  lastUpdated: time,
  error: 'e',
  nonces,
} as const;

/** All that may be kept of a client and of a resource. */
const client: PermalinkStory['client'] = {
  ...summary,
  node: { ...summary.node, metadata: { zone: { weights: [1, null, 'a'] } } },
  locality: { region: 'eu', zone: 'a', subZone: '1' },
  sync: [{ sourceId: 'istiod', freshness: 'stale', types: [typeSync] }],
  asClient: 'go',
};
const rows: PermalinkStory['rows'] = [
  resourceRow(),
  resourceRow({
    name: 'pay',
    clientStatus: 'NACKED',
    errorState: {
      details: 'lb_policy is bad',
      versionInfo: '2',
      lastUpdateAttempt: time,
      failedHash: 'f'.repeat(64),
    },
    ambientError: { code: 'UNAVAILABLE', details: 'd', since: time },
    apiVersion: 'v2',
    canonicalName: 'xdstp://a/pay',
    stage: 'warming',
    otherVersions: [{ stage: 'draining', versionInfo: '1', lastUpdated: null, hash: null, sizeBytes: 3 }],
    controlPlane: { sourceId: 'ads', versionInfo: '3', hash: null, changedAt: time },
  }),
];
const templates = {
  clientDefault: 'outer/%s',
  authorities: new Map([['__proto__', { clientListenerResourceNameTemplate: 'inner/%s' }]]),
};
const reported: KnownSettings = { templates, certificateProviders: ['file'], asClient: 'go' };
const failovers: PermalinkStory['failovers'] = {
  ...{ clientId: 'c', profile: 'core-1.85', from: time, to: time, beginsAt: time },
  ...{ hasOlder: true, isCut: false, total: 1 },
  items: [
    {
      ...{
        turn: 'failover',
        fromAt: time,
        priorities: ['p0', 'p1'],
        grpc: 'p1',
        envoy: [0, 100],
      },
      places: [{ cluster: 'cart', locality: 'eu/a', priority: 1 }],
      ...{ grpcSentences: ['All of p0 is unhealthy.'], envoySentences: [] },
      measured: [{ cluster: 'leaf', locality: 'eu/a', requests: 5, share: 1 }],
    },
  ],
};

const propagationSource = {
  clientId: 'c',
  sourceId: 'csds:a:1',
  nodeId: 'shop',
  freshness: 'live',
  reason: '',
} as const;
const state: PropagationRow['states']['client'] & object = {
  ...{ sourceId: 'csds:a:1', versionInfo: '1', hash: 'a'.repeat(64), state: 'ACKED' },
  ...{ configStatus: 'SYNCED', details: '', changedAt: time },
};
const propagationRow: PropagationRow = {
  ...{ typeUrl: 'type.googleapis.com/envoy.config.cluster.v3.Cluster', service: 'CDS', name: 'pay' },
  states: {
    sotw: { ...state, sourceId: 'probe:a:1' },
    delta: undefined,
    controlPlane: { ...state, hash: undefined },
    client: { ...state, state: 'NACKED', details: 'lb_policy is bad' },
  },
  firstMismatch: {
    ...{ from: 'controlPlane', to: 'client', kind: 'rejected', finding: 'client-nack' },
    text: 'The client rejects it',
  },
  compared: 3,
  changedAt: time,
};
const propagation: StoredPropagation = {
  sources: {
    sotw: { ...propagationSource, sourceId: 'probe:a:1' },
    delta: undefined,
    controlPlane: { ...propagationSource, freshness: 'stale', reason: 'it does not answer' },
    client: propagationSource,
  },
  moment,
  rows: [propagationRow, { ...propagationRow, name: 'cart', firstMismatch: undefined }],
};

function withoutNulls(content: unknown): unknown {
  return JSON.parse(JSON.stringify(content), function (this: object, _key, value) {
    return value === null && !Array.isArray(this) ? undefined : value;
  });
}

interface Kind {
  readonly kind: string;
  readonly view: View;
  readonly moment?: PermalinkStory['moment'];
}
const query = { selected: 'cart' };
const kinds: readonly Kind[] = [
  { kind: 'graph', view: { tab: 'graph', query, transform: { x: 1, y: -2.5, k: 0.5 } } },
  ...(['resolved', 'failover', 'resources', 'load', 'propagation', 'findings', 'history'] as const).map(
    (tab) => ({
      ...{ kind: tab, view: { tab, query } },
    }),
  ),
  { kind: 'past', view: { tab: 'resources', query }, moment },
];

const goldenOf = (kind: string): string =>
  path.join(projectRoot, 'tests/fixtures/permalinks', `version-1-${kind}.json`);
const story: PermalinkStory = { client, rows, failovers, propagation, reported: () => reported };

describe('a stored permalink of version 1', () => {
  /** These permalinks are shared by all tests that add permalinks of the client as it is now. */
  let shared: Awaited<ReturnType<typeof openPermalinks>>;
  beforeAll(async () => {
    shared = await openPermalinks(story);
    const places = [localityLoad('a', { successful: '18446744073709551615' })];
    const cluster = clusterLoad(places, { dropped: [{ category: 'lb', count: '2' }] });
    shared.loads.observe(loadReported(time - 5_000, [cluster], { clientId: 'c' }));
  });
  afterAll(() => shared.close());

  // The golden files are what released versions stored: they never change, a new shape is a new version beside them.
  it.each(kinds)('is written as its golden file has it: $kind', async ({ kind, view, ...others }) => {
    const isPast = others.moment !== undefined;
    const { api, recorder } = isPast ? await startPermalinks({ ...story, ...others }) : shared;
    const { id } = await api.create({ clientId: 'c', view });
    const stored = await recorder.readPermalink(id);
    if (process.env.XDSCOPE_WRITE_GOLDEN === '1')
      writeFileSync(goldenOf(kind), `${JSON.stringify(stored?.content, null, 2)}\n`);
    const golden: unknown = JSON.parse(readFileSync(goldenOf(kind), 'utf8'));
    expect(stored?.content).toEqual(await parsePermalink(newPermalinkId(), golden));
  });

  it('opens from the golden file of a release that stored the kind of the client instead of its profile', async () => {
    const content: unknown = JSON.parse(readFileSync(goldenOf('failover-client-kind'), 'utf8'));
    const today: unknown = JSON.parse(readFileSync(goldenOf('failover'), 'utf8'));
    expect(content).not.toEqual(today);
    expect(await parsePermalink(newPermalinkId(), content)).toEqual(
      await parsePermalink(newPermalinkId(), today),
    );
  });

  it.each(kinds)('opens from its golden file: $kind', async ({ kind, view, ...others }) => {
    const content: unknown = JSON.parse(readFileSync(goldenOf(kind), 'utf8'));
    const id = newPermalinkId();
    // No field is left out in parsing, except those that are null.
    const parsed = await parsePermalink(id, content);
    expect(withoutNulls(parsed)).toEqual(withoutNulls(content));
    const { api, resolve, askPropagation, recorder } = shared;
    await recorder.savePermalink({ id, createdAt: 5, content, hashes: [] });
    const found = await api.find(id);
    expect(found?.client).toEqual(client);
    expect(found).toMatchObject({ id, clientId: 'c', view, resources: rows });
    expect(found?.moment).toEqual('moment' in others ? others.moment : undefined);
    expect(found?.graph.nodes.map(({ name }) => name)).toEqual(expect.arrayContaining(['cart', 'pay']));
    if (kind === 'failover') expect((await api.failovers(id))?.items).toEqual(failovers.items);
    expect((await api.findLoad(id)) !== undefined).toBe(kind === 'load');
    if (kind === 'propagation') {
      const { sources } = propagation;
      const items: typeof propagation.rows = JSON.parse(JSON.stringify(propagation.rows));
      const counts = { resources: 2, agree: 1, differ: 1, behind: 0, otherNode: 0, alone: 0 };
      expect(await askPropagation(id, {})).toEqual({
        sources,
        counts,
        items,
        offset: 0,
        total: 2,
        moment,
      });
      expect(await askPropagation(id, { only: 'differs' })).toMatchObject({
        counts,
        items: [items[0]],
        total: 1,
      });
      expect(await askPropagation(id, { limit: 1, offset: 1 })).toMatchObject({
        items: [items[1]],
        total: 2,
      });
      expect(await askPropagation(id, { q: 'car', type: 'CDS' })).toMatchObject({
        items: [items[1]],
        total: 1,
      });
    } else {
      await expect(askPropagation(id, {})).rejects.toMatchObject({ status: 404 });
    }
    const { start: begun } = (await resolve(id, { target: 'xds:///shop' })) ?? {};
    expect(begun?.listener).toBe('outer/shop');
  });

  const golden = (): Record<string, unknown> => JSON.parse(readFileSync(goldenOf('graph'), 'utf8'));
  it('keeps what answers of later releases state beside these fields', async () => {
    const reports = client.reports.map((each) => ({ ...each, notVisible: 'Rejections of clusters.' }));
    const resources = [{ ...resourceRow(), doubt: 'rejected' }];
    const content = { ...golden(), client: { ...client, reports }, resources };
    expect(reports).toHaveLength(1);
    expect(await parsePermalink(newPermalinkId(), content)).toEqual(content);
  });

  const broken: [string, () => unknown, number, string][] = [
    ['another version', () => ({ ...golden(), version: 2 }), 501, 'expected version 1, got 2'],
    ['no version', () => ({ view: {} }), 503, 'version: expected number, got nothing'],
    ['no object', () => 'text', 503, 'content: expected object, got "text"'],
    ['no client', () => ({ ...golden(), client: null }), 503, 'client: expected object, got null'],
    [
      'a text that is a number',
      () => ({ ...golden(), client: { ...client, nodeId: 7 } }),
      503,
      'client.nodeId: expected string, got 7',
    ],
    [
      'a row that is none',
      () => ({ ...golden(), resources: [rows[0], 5] }),
      503,
      'resources.1: expected object, got 5',
    ],
    [
      'a row of propagation that is none',
      () => ({
        ...golden(),
        propagation: { ...propagation, rows: [{ ...propagationRow, compared: 'two' }] },
      }),
      503,
      'propagation.rows.0.compared: expected number, got "two"',
    ],
    [
      'a status that is none',
      () => ({ ...golden(), resources: [{ ...rows[0], clientStatus: 'FINE' }] }),
      503,
      'resources.0.clientStatus: ',
    ],
  ];
  it.each(broken)(
    'says what was expected where it does not parse: %s',
    async (_, content, status, detail) => {
      const { api, recorder } = shared;
      const [id, other] = [newPermalinkId(), newPermalinkId()];
      await recorder.savePermalink({ id, createdAt: 5, content: content(), hashes: [] });
      await recorder.savePermalink({ id: other, createdAt: 5, content: golden(), hashes: [] });
      const failed = {
        name: 'ApiError',
        status,
        detail: expect.stringContaining(`permalink ${id}: ${detail}`),
      };
      await expect(api.find(id)).rejects.toMatchObject(failed);
      await expect(api.findSubject(id)).rejects.toMatchObject(failed);
      expect((await api.find(other))?.clientId).toBe('c');
    },
  );
});
