import { describe, expect, it, onTestFinished } from 'vitest';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { buildClientDetail } from '@/lib/views/client/build-client-summary';
import { diffAnswer, diffQuery } from '@/lib/views/compare/schema';
import { CDS, EDS, RDS } from '@/lib/xds/resource-type';
import { DiffApi } from '@/server/answers/diff/diff-api';
import { noSettings } from '@/server/answers/subjects/known-settings';
import { encodeBody } from '@/server/codec/encode-body';
import { sha256 } from '@/server/codec/sha256';
import { Differ } from '@/server/compute/diff/differ';
import type { Body } from '@/server/observe';
import { clientStateOf } from '../../../support/builders/recorder-emissions';
import { resourceRow } from '../../../support/builders/resource-row';
import { startBodies } from '../../../support/builders/stored-bodies';

const bodies = new Map<string, Body>();

function row(typeUrl: string, name: string, json: object, reported: Partial<ResourceRow> = {}): ResourceRow {
  const bytes = encodeBody(typeUrl, json);
  const hash = sha256(bytes);
  bodies.set(hash, { hash, typeUrl, bytes });
  return resourceRow({ typeUrl, name, hash, ...reported });
}

const cluster = (name: string, extra: object = {}, reported: Partial<ResourceRow> = {}) =>
  row(CDS.typeUrl, name, { name, type: 'EDS', ...extra }, reported);
const routes = (weight: number, domains = ['a', 'b']) =>
  row(RDS.typeUrl, 'routes', {
    name: 'routes',
    virtualHosts: [
      {
        name: 'shop',
        domains,
        routes: [
          {
            name: 'all',
            match: { prefix: '/' },
            route: { weightedClusters: { clusters: [{ name: 'v1', weight }] } },
          },
        ],
      },
    ],
  });

/** Clients by id, and one permalink; bodies as they are stored. `inPlaceBytes` 0: all of it is compared in the thread. */
async function startStory(clients: Readonly<Record<string, readonly ResourceRow[]>>, inPlaceBytes?: number) {
  const { source, reads, close } = await startBodies(bodies.values());
  onTestFinished(close);
  const differ = new Differ({
    recorder: source,
    ...(inPlaceBytes !== undefined && { inPlaceBytes }),
  });
  onTestFinished(() => differ.close());
  const detail = buildClientDetail(clientStateOf('c', 1, []), () => ({
    freshness: 'live',
    reason: '',
    lastSeenAt: 1,
  }));
  const viewOf = (id: string) => {
    const rows = clients[id] && [...clients[id]].sort(compareResourceKeys);
    if (rows === undefined) return undefined;
    const at = Date.parse('2026-11-21T00:00:00Z');
    const source = { list: id, read: () => ({ rows }) };
    return { client: { ...detail, id }, rows, source, reported: noSettings, at, revision: '1' };
  };
  const api = new DiffApi({
    differ,
    subjects: {
      find: async (id) => viewOf(id),
      findReportedRows: async (id, source) => viewOf(id)?.rows.filter(({ sourceId }) => sourceId === source),
    },
    permalinks: { findSubject: async (id) => viewOf(id) },
  });
  const find = async (left: string, right: string, more: object = {}) => {
    const answer = await api.find(diffQuery.parse({ left, right, ...more }));
    // zod leaves out what the schema does not know.
    expect(diffAnswer.parse(answer)).toEqual(answer);
    return answer;
  };
  return { find, api, bodiesRead: () => reads.length };
}

const none = {
  changed: 0,
  added: 0,
  removed: 0,
  unread: 0,
  status: 0,
  order: 0,
  notation: 0,
  version: 0,
  equal: 0,
};

describe('GET diff', () => {
  it('compares each of several resources with one name', async () => {
    const second = (lbPolicy: string) =>
      row(CDS.typeUrl, 'c (duplicate 2)', { name: 'c', type: 'EDS', lbPolicy });
    const { find } = await startStory({
      one: [cluster('c'), second('MAGLEV')],
      other: [cluster('c'), second('RANDOM')],
    });
    const { counts, items } = await find('client/one', 'client/other');
    expect(counts).toEqual({ ...none, changed: 1, equal: 1 });
    expect(items.map(({ name }) => name)).toContain('c (duplicate 2)');
  });

  it.each([
    ['in place', undefined],
    ['in the thread', 0],
  ])('says what really differs, compared %s', async (_, inPlaceBytes) => {
    const { find, bodiesRead } = await startStory(
      {
        one: [cluster('a'), cluster('b'), cluster('gone'), routes(80)],
        other: [cluster('a', {}, { versionInfo: 'v2' }), cluster('b'), cluster('new'), routes(60)],
      },
      inPlaceBytes,
    );
    const answer = await find('client/one', 'permalink/other');
    expect(answer.counts).toEqual({ ...none, changed: 1, added: 1, removed: 1, version: 1, equal: 1 });
    expect(answer.items.map(({ kind, service, name }) => `${kind} ${service} ${name}`)).toEqual([
      'changed RDS routes',
      'removed CDS gone',
      'added CDS new',
    ]);
    expect(answer.items[0]?.lines).toEqual([
      {
        kind: 'changed',
        path: 'virtualHosts[shop].routes[all].route.weightedClusters.clusters[v1].weight',
        before: '80',
        after: '60',
        reason: '',
      },
    ]);
    expect(answer.summary).toEqual(['3 of 5 resources differ: 1 changed, 1 only in B, 1 only in A.']);
    // Equal hashes are not read, nor is a pair a second time.
    expect(bodiesRead()).toBe(2);
    expect((await find('client/one', 'permalink/other', { versions: 'true' })).total).toBe(4);
    expect((await find('client/one', 'permalink/other', { type: 'CDS', q: 'ne' })).items).toHaveLength(2);
    expect((await find('client/one', 'permalink/other', { kind: 'added', limit: '0' })).total).toBe(1);
    expect(bodiesRead()).toBe(2);
  });

  it('reports differences of order, of notation and of status as such', async () => {
    const { find } = await startStory({
      one: [routes(80), cluster('a', { respectDnsTtl: true })],
      other: [routes(80, ['b', 'a']), cluster('a', { respectDnsTtl: true }, { clientStatus: 'NACKED' })],
    });
    const answer = await find('client/one', 'client/other');
    expect(answer.counts).toEqual({ ...none, order: 1, status: 1 });
    expect(answer.summary).toEqual([
      '1 of 2 resources differs: 1 with different statuses.',
      '1 resource is the same except for the order of sets.',
    ]);
    const same = await find('client/one', 'client/one');
    expect(same.summary).toEqual(['Nothing differs: 2 resources are the same.']);
  });

  it('compares two resources of different names, with the tree of their differences', async () => {
    const { find } = await startStory({ one: [cluster('a'), cluster('b', { respectDnsTtl: true })] });
    const answer = await find('client/one/CDS/a', 'client/one/CDS/b');
    expect(answer.tree?.rows.map(({ label, kind }) => `${kind} ${label}`)).toEqual([
      'changed name',
      'changed respectDnsTtl',
    ]);
    expect(answer.summary[1]).toBe('CDS a differs in 2 places.');
    expect((await find('client/one/CDS/a', 'client/one/CDS/a')).tree).toEqual({ rows: [], isCut: false });
    expect((await find('client/one/CDS/a', 'client/one/CDS/x')).counts.removed).toBe(1);
  });

  it('compares the report of a control plane with that of the client', async () => {
    const theirs = cluster('a', { respectDnsTtl: true });
    const controlPlane = {
      sourceId: 'csds:cp',
      versionInfo: 'v2',
      hash: theirs.hash,
      changedAt: Date.parse('2026-11-21T00:00:00Z'),
    };
    const { find } = await startStory({
      one: [cluster('a', {}, { controlPlane }), cluster('mine')],
      own: [cluster('a')],
    });
    const answer = await find('client/one;control-plane', 'client/one');
    expect(answer.left.side).toBe('control-plane');
    expect(answer.counts).toEqual({ ...none, changed: 1, added: 1 });
    await expect(find('client/own;control-plane', 'client/own')).rejects.toThrow(
      /no control plane has reported/,
    );
  });

  it('compares the reports of two sources on one client', async () => {
    const { find } = await startStory({
      one: [
        cluster('a', {}, { sourceId: 'tap:1', clientStatus: 'NACKED' }),
        cluster('b', {}, { sourceId: 'tap:1' }),
        cluster('a', { connectTimeout: '2s' }, { sourceId: 'csds:x' }),
        cluster('b', {}, { sourceId: 'csds:plane', side: 'control-plane', clientStatus: 'UNKNOWN' }),
      ],
    });
    const answer = await find('client/one;source=tap%3A1', 'client/one;source=csds%3Ax');
    expect(answer.left).toMatchObject({ sourceId: 'tap:1', side: 'client', resources: 2 });
    expect(answer.counts).toEqual({ ...none, changed: 1, removed: 1 });
    const sent = await find('client/one;source=csds%3Aplane', 'client/one;source=tap%3A1');
    expect(sent.left.side).toBe('control-plane');
    // The sent resources have no status of the client: that is no difference.
    expect(sent.counts).toEqual({ ...none, added: 1, equal: 1 });
    await expect(find('client/one;source=tap%3A2', 'client/one')).rejects.toThrow(
      /^left: the source "tap:2" reports nothing of this client/,
    );
  });

  it('reports a body that is no longer stored', async () => {
    const { find } = await startStory({
      one: [cluster('a')],
      other: [resourceRow({ name: 'a', hash: 'f'.repeat(64) })],
    });
    expect((await find('client/one', 'client/other')).counts).toEqual({ ...none, unread: 1 });
  });

  it.each([
    ['nonsense', 'client/one', /^left: expected client\/ID/],
    ['client/two', 'client/one', /^left: no client has the id "two"/],
    ['client/one/CDS/a', 'client/one', /^right: expected one resource/],
    [
      'client/one/CDS/a',
      'client/one/EDS/a',
      new RegExp(`^right: expected a resource of type ${CDS.typeUrl}, got ${EDS.typeUrl}`),
    ],
    ['client/one/CDS/x', 'client/one/CDS/y', /^neither side has/],
  ])('rejects %s and %s with what was expected', async (left, right, message) => {
    const { api } = await startStory({ one: [cluster('a')] });
    await expect(api.find(diffQuery.parse({ left, right }))).rejects.toThrow(message);
  });
});
