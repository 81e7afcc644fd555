import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { World } from '@/lib/observation/fold';
import { foldObservation } from '@/lib/observation/fold';
import { certificatesQuery } from '@/lib/views/certificates/schema';
import { SDS } from '@/lib/xds/resource-type';
import {
  CertificateReader,
  type CertificateReaderParts,
} from '@/server/answers/resources/certificate-reader';
import { CertificatesApi } from '@/server/answers/resources/certificates-api';
import { readSecretCertificates } from '@/server/answers/resources/read-secret-certificates';
import { createCodec } from '@/server/codec/codec';
import { unknownNode } from '@/server/codec/node-info';
import type { Body } from '@/server/observe';
import { readCapture } from '../../../support/builders/codec-corpus';
import { findResources } from '../../../support/builders/real-resources';

const typeUrl = 'type.googleapis.com/envoy.admin.v3.Certificates';
const day = 24 * 3_600_000;
const now = Date.parse('2026-02-01T00:00:00Z');

/** Clients, each with certificates that expire so many days from now. */
function apiOf(
  clients: Readonly<Record<string, readonly number[]>>,
  kept = true,
  fileOf: CertificateReaderParts['imports']['fileOf'] = () => undefined,
) {
  const codec = createCodec({ redactionKey: Buffer.from('tests') });
  onTestFinished(() => codec.close());
  const world: World = new Map();
  const bodies = new Map<string, Body>();
  for (const [index, [nodeId, days]] of Object.entries(clients).entries()) {
    const certificates = days.map((left) => ({
      certChain: [{ path: `${left}`, expirationTime: new Date(now + left * day).toISOString() }],
    }));
    const { body } = codec.sanitizeBody(typeUrl, codec.encode(typeUrl, { certificates }));
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
  const live = { world, revisionOf: () => 0 };
  const certificates = new CertificateReader({ codec, live, recorder: { readBodies }, imports: { fileOf } });
  return new CertificatesApi({ clock: { now: () => now }, certificates });
}

/** The certificate chain of a real sidecar, with which Envoy's list and the secret name the same serial number. */
const chain = [
  ...findResources(JSON.parse(gunzipSync(readCapture('istio/cart-1.config_dump.json.gz')).toString())),
]
  .map((resource) => ({
    name: String(resource.name),
    bytes: Reflect.get(
      Object(Reflect.get(Object(resource.tls_certificate), 'certificate_chain')),
      'inline_bytes',
    ),
  }))
  .find(({ bytes }) => typeof bytes === 'string');

/** A client with a secret, and with Envoy's list if it has the serial number. */
function withSecret(serialNumber: string | null) {
  const codec = createCodec({ redactionKey: Buffer.from('tests') });
  onTestFinished(() => codec.close());
  const secret = { name: 'default', tlsCertificate: { certificateChain: { inlineBytes: chain?.bytes } } };
  const list = { certificates: [{ certChain: [{ path: '<inline>', serialNumber }] }] };
  const reported = [
    { name: 'default', type: SDS.typeUrl, value: secret },
    ...(serialNumber === null ? [] : [{ name: 'certs', type: typeUrl, value: list }]),
  ].map(({ name, type, value }) => ({
    name,
    type,
    body: codec.sanitizeBody(type, codec.encode(type, value)).body,
  }));
  const bodies = new Map(reported.map(({ body }) => [body.hash, body]));
  const world: World = new Map();
  foldObservation(world, {
    ...{
      kind: 'client-config-changed',
      at: now,
      vantage: 'csds',
      sourceId: 'csds:a:1',
      seq: 1,
      clientId: 'cart',
    },
    ...{ side: 'client', node: { ...unknownNode, id: 'cart' }, scope: '', removed: [] },
    changed: reported.map(({ name, type, body }) => ({
      ...{ typeUrl: type, name, versionInfo: '', clientStatus: 'ACKED', configStatus: 'UNKNOWN' },
      ...{
        lastUpdated: null,
        errorState: null,
        hash: body.hash,
        sizeBytes: 1,
        isStatic: false,
        changedAt: now,
      },
    })),
  });
  const readBodies = async (hashes: Iterable<string>) =>
    new Map([...hashes].flatMap((hash) => [...bodies].filter(([each]) => each === hash)));
  const certificates = new CertificateReader({
    ...{ codec, live: { world, revisionOf: () => 0 }, recorder: { readBodies } },
    imports: { fileOf: () => undefined },
  });
  return new CertificatesApi({ clock: { now: () => now }, certificates });
}

describe('GET certificates of a file', () => {
  const file = { from: now - 100 * day, to: now - 100 * day, gaps: [] };

  it('judges them at the time of the snapshot', async () => {
    const api = apiOf({ old: [-90, -110], live: [-1] }, true, (id) => (id === 'old' ? file : undefined));
    const { items, expired, soon } = await api.list(certificatesQuery.parse({}));
    expect(items.map(({ path, snapshotAt }) => [path, snapshotAt])).toEqual([
      ['-110', file.to],
      ['-90', file.to],
      ['-1', undefined],
    ]);
    expect([expired, soon]).toEqual([2, 1]);
  });

  it('does not judge them if the file states no time', async () => {
    const api = apiOf({ old: [-90, 10] }, true, () => ({ ...file, isUndated: true }));
    const { items, expired, soon } = await api.list(certificatesQuery.parse({}));
    expect(items.map(({ isUndated, snapshotAt }) => [isUndated, snapshotAt])).toEqual(
      Array(2).fill([true, undefined]),
    );
    expect([expired, soon]).toEqual([0, 0]);
  });
});

describe('GET certificates by a column', () => {
  it.each([
    ['-expires', ['300', '200', '100', '50', '10']],
    ['path', ['10', '50', '100', '200', '300']],
    ['client', ['50', '300', '10', '100', '200']],
    ['-client', ['10', '100', '200', '50', '300']],
  ])('sorts all of them by %s before it cuts the page', async (sort, paths) => {
    const api = apiOf({ 'web-10': [200, 10, 100], 'web-9': [300, 50] });
    const pages = await Promise.all(
      [0, 2, 4].map((offset) => api.list(certificatesQuery.parse({ sort, offset, limit: 2 }))),
    );
    expect(pages.flatMap(({ items }) => items.map(({ path }) => path))).toEqual(paths);
  });
});

describe('GET certificates of secrets', () => {
  const serialNumber = '25522421bcf87b509105b215edc95bd5';
  const spiffe = 'spiffe://cluster.local/ns/shop/sa/cart';

  it('lists the first certificate of a chain, with names, issuer and expiry', async () => {
    const { items, clients } = await withSecret(null).list(certificatesQuery.parse({}));
    expect(clients).toBe(1);
    expect(items).toEqual([
      expect.objectContaining({
        ...{ clientId: 'cart', role: 'chain', secret: 'default', path: '', serialNumber, names: [spiffe] },
        ...{ issuer: 'CN=intermediate, O=cluster.local', expiresAt: Date.parse('2026-11-23T22:57:25.000Z') },
      }),
    ]);
  });

  it('lists a certificate once that Envoy lists too, with its secret, whatever the spelling of its serial number', async () => {
    const { items } = await withSecret(`00${serialNumber.toUpperCase()}`).list(certificatesQuery.parse({}));
    expect(items).toEqual([
      expect.objectContaining({
        path: '<inline>',
        secret: 'default',
        issuer: 'CN=intermediate, O=cluster.local',
      }),
    ]);
  });

  it('finds a certificate by its secret and its issuer', async () => {
    const api = withSecret(null);
    expect((await api.list(certificatesQuery.parse({ q: 'intermediate' }))).total).toBe(1);
    expect((await api.list(certificatesQuery.parse({ q: 'no such' }))).total).toBe(0);
  });

  it('leaves out what is no certificate', () => {
    const inlineString = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    expect(readSecretCertificates({ tlsCertificate: { certificateChain: { inlineString } } })).toEqual([]);
    expect(readSecretCertificates({ tlsCertificate: { certificateChain: { filename: '/a.pem' } } })).toEqual(
      [],
    );
    expect(readSecretCertificates(null)).toEqual([]);
  });
});

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
