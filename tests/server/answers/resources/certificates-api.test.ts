import { afterEach, describe, expect, it } from 'vitest';
import { certificatesQuery } from '@/lib/api/certificates';
import type { World } from '@/lib/observation/fold';
import { foldObservation } from '@/lib/observation/fold';
import { CertificatesApi } from '@/server/answers/resources/certificates-api';
import { type Codec, createCodec } from '@/server/codec/codec';
import { unknownNode } from '@/server/codec/node-info';
import type { Body } from '@/server/observe';
import { systemClock } from '@/server/observe';

const typeUrl = 'type.googleapis.com/envoy.admin.v3.Certificates';
const day = 24 * 3_600_000;
const now = Date.parse('2026-02-01T00:00:00Z');
const codecs: Codec[] = [];
afterEach(async () => {
  for (const codec of codecs.splice(0)) await codec.close();
});

/** Clients, each with certificates that expire so many days from now. */
function apiOf(clients: Readonly<Record<string, readonly number[]>>, kept = true) {
  const codec = createCodec({ redactionKey: Buffer.from('tests') });
  codecs.push(codec);
  const world: World = new Map();
  const bodies = new Map<string, Body>();
  for (const [index, [nodeId, days]] of Object.entries(clients).entries()) {
    const certificates = days.map((left) => ({
      certChain: [{ path: `${left}`, expirationTime: new Date(now + left * day).toISOString() }],
    }));
    const { body } = codec.takeBody(typeUrl, codec.encode(typeUrl, { certificates }));
    if (kept) bodies.set(body.hash, body);
    foldObservation(world, {
      ...{ kind: 'client-config-changed', at: now, vantage: 'csds', sourceId: 'envoy-admin:a:1', seq: index },
      ...{ clientId: nodeId, side: 'client', node: { ...unknownNode, id: nodeId }, scope: '', removed: [] },
      changed: [
        {
          ...{ typeUrl, name: 'certs', versionInfo: '', clientStatus: 'UNKNOWN', configStatus: 'UNKNOWN' },
          ...{ lastUpdated: null, errorState: null, hash: body.hash, sizeBytes: 1, isStatic: true },
          changedAt: now,
        },
      ],
    });
  }
  const readBodies = async (hashes: Iterable<string>) =>
    new Map([...hashes].flatMap((hash) => [...bodies].filter(([each]) => each === hash)));
  const clock = { ...systemClock, now: () => now };
  return new CertificatesApi({ clock, codec, live: { world }, recorder: { readBodies } });
}

describe('GET certificates', () => {
  it('lists the certificates of all clients by expiration time, and counts expired ones and those that expire soon', async () => {
    const api = apiOf({ a: [200, -1], b: [10] });
    const page = await api.list(certificatesQuery.parse({}));
    expect(page.items.map(({ nodeId, path }) => [nodeId, path])).toEqual([
      ['a', '-1'],
      ['b', '10'],
      ['a', '200'],
    ]);
    expect(page).toMatchObject({ total: 3, clients: 2, unread: 0, expired: 1, soon: 1 });
  });

  it('answers for one client, up to a moment, and page by page', async () => {
    const api = apiOf({ a: [200, -1], b: [10] });
    expect((await api.list(certificatesQuery.parse({ client: 'b' }))).items).toMatchObject([
      { clientId: 'b' },
    ]);
    const before = new Date(now + 11 * day).toISOString();
    expect(await api.list(certificatesQuery.parse({ before }))).toMatchObject({ total: 2 });
    expect((await api.list(certificatesQuery.parse({ offset: '1', limit: '1' }))).items).toMatchObject([
      { path: '10' },
    ]);
    expect(certificatesQuery.safeParse({ limit: '0' }).success).toBe(false);
  });

  it('filters and counts by client, name, path and serial number', async () => {
    const api = apiOf({ 'cart-1': [200, -1], 'cart-2': [10], shop: [3] });
    expect(await api.list(certificatesQuery.parse({ q: 'CART', limit: '1' }))).toMatchObject({
      total: 3,
      expired: 1,
      soon: 1,
    });
    expect(
      (await api.list(certificatesQuery.parse({ q: '-1' }))).items.map(({ nodeId, path }) => [nodeId, path]),
    ).toEqual([
      ['cart-1', '-1'],
      ['cart-1', '200'],
    ]);
    expect(await api.list(certificatesQuery.parse({ q: 'none' }))).toMatchObject({
      items: [],
      total: 0,
      clients: 3,
    });
  });

  it('counts lists that are no longer stored', async () => {
    expect(await apiOf({ a: [1] }, false).list(certificatesQuery.parse({}))).toMatchObject({
      items: [],
      clients: 1,
      unread: 1,
    });
  });
});
