import { X509Certificate } from 'node:crypto';
import { compareSortValues } from '@/lib/format/compare-names';
import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceState } from '@/lib/observation/resource-state';
import {
  type CertificateFacts,
  memberOf,
  readCertificates,
} from '@/lib/views/certificates/read-certificates';
import type { Certificate, CertificatePage, CertificatesQuery } from '@/lib/views/certificates/schema';
import type { certificateSortColumns } from '@/lib/views/certificates/sort-columns';
import { SDS } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import { boundedCache } from '../../bounded-cache';
import type { Codec } from '../../codec/codec';
import type { LiveState } from '../../live/live-state';
import type { Clock } from '../../observe';
import type { Recorder } from '../../recorder/recorder';
import { inSlices } from '../../threads/in-slices';
import type { ImportsApi } from '../files/imports-api';

export interface CertificatesApiParts {
  readonly clock: Clock;
  readonly live: Pick<LiveState, 'world'>;
  readonly recorder: Pick<Recorder, 'readBodies'>;
  readonly codec: Pick<Codec, 'decodeMany'>;
  readonly imports: Pick<ImportsApi, 'fileOf'>;
}

const typeUrl = 'type.googleapis.com/envoy.admin.v3.Certificates';
const key = resourceKey({ typeUrl, name: 'certs' });
const soonMs = 30 * 24 * 3_600_000;
/** Lists and secrets beyond it are counted as unread. */
const listsKept = 20_000;

/** The certificates of a client, as one source reported them: a list of Envoy's, or those of a secret. */
interface ReportedList
  extends Pick<Certificate, 'clientId' | 'nodeId' | 'sourceId' | 'snapshotAt' | 'isUndated'> {
  readonly seenAt: EpochMs;
  readonly hash: string;
  /** The name of the secret; null: the answer of /certs. */
  readonly secret: string | undefined;
}

type CertificateSortColumn = (typeof certificateSortColumns)[number];
type Found = Omit<ReportedList, 'hash'> & CertificateFacts;

/** The certificates that Envoys report at /certs, and those in the secrets of all clients. */
export class CertificatesApi {
  readonly #parts: CertificatesApiParts;
  readonly #read = boundedCache<readonly CertificateFacts[]>(listsKept);

  constructor(parts: CertificatesApiParts) {
    this.#parts = parts;
  }

  async list(
    { client, q, sort, before, offset, limit }: CertificatesQuery,
    signal?: AbortSignal,
  ): Promise<CertificatePage> {
    const lists = await this.#findLists(client);
    await this.#readMissing(lists, signal);
    const wanted = q.toLowerCase();
    let unread = 0;
    const all: Found[] = [];
    await inSlices(lists, ({ hash, ...reported }) => {
      const facts = this.#read.get(hash);
      if (facts === undefined) unread += 1;
      for (const each of facts ?? []) all.push({ ...reported, ...each });
    });
    const found = joinSecrets(all).filter(
      (each) => (before === undefined || expiryOf(each) < before) && hasText(each.nodeId, each, wanted),
    );
    // Equal expiration times keep the order of the clients.
    found.sort((a, b) => compareSortValues(a.expiresAt, b.expiresAt, false));
    const sorted = sort === 'expires' ? found : sortFound(found, sort);
    const now = this.#parts.clock.now();
    const within = (ms: number): number =>
      found.filter((each) => !each.isUndated && expiryOf(each) <= (each.snapshotAt ?? now) + ms).length;
    return {
      items: sorted.slice(offset, offset + limit),
      total: found.length,
      clients: new Set(lists.map(({ clientId }) => clientId)).size,
      unread,
      expired: within(0),
      soon: within(soonMs) - within(0),
    };
  }

  async #findLists(wanted: string | undefined): Promise<ReportedList[]> {
    const lists: ReportedList[] = [];
    const { live, imports } = this.#parts;
    const worlds = [...live.world.values()];
    await inSlices(
      worlds.filter(({ clientId }) => wanted === undefined || wanted === clientId),
      ({ clientId, node, reports }) => {
        const file = imports.fileOf(clientId);
        const snapshot = {
          ...(file?.isUndated && { isUndated: true as const }),
          ...(file && !file.isUndated && file.to !== null && { snapshotAt: file.to }),
        };
        for (const { sourceId, side, goneAt, resources } of reports.values()) {
          if (goneAt !== null) continue;
          const add = ({ hash, changedAt: seenAt }: ResourceState, secret: string | undefined): void => {
            if (hash !== null)
              lists.push({ ...{ clientId, nodeId: node.id, sourceId, hash, secret }, ...snapshot, seenAt });
          };
          const reported = resources.get(key);
          if (reported !== undefined) add(reported, undefined);
          if (side !== 'client') continue;
          for (const row of resources.values()) if (row.typeUrl === SDS.typeUrl) add(row, row.name);
        }
      },
      1,
    );
    return lists;
  }

  async #readMissing(lists: readonly ReportedList[], signal: AbortSignal | undefined): Promise<void> {
    const { recorder, codec } = this.#parts;
    const known = lists.filter(({ hash }) => !this.#read.has(hash)).slice(0, listsKept);
    const types = new Map(
      known.map(({ hash, secret }) => [hash, secret === undefined ? typeUrl : SDS.typeUrl]),
    );
    if (types.size === 0) return;
    const bodies = [...(await recorder.readBodies(types.keys(), signal)).values()];
    const decoded = await codec.decodeMany(
      bodies.map(({ bytes, hash }) => ({ typeUrl: types.get(hash) ?? typeUrl, bytes })),
      { signal },
    );
    const pairs = decoded.flatMap(({ json }, index) => {
      const hash = bodies[index]?.hash;
      return hash === undefined ? [] : [{ hash, json }];
    });
    await inSlices(
      pairs,
      ({ hash, json }) =>
        this.#read.set(
          hash,
          types.get(hash) === typeUrl ? readCertificates(json) : readSecretCertificates(json),
        ),
      1,
    );
  }
}

/**
 * One certificate of a client that is in a secret and in Envoy's list is one entry, found by its serial number. The list states
 * no issuer. A secret that several sources report is listed once.
 */
function joinSecrets(all: readonly Found[]): Found[] {
  const inSecrets = new Map<string, Found>();
  for (const each of all) {
    const id = idOf(each);
    if (each.secret !== undefined && !inSecrets.has(id)) inSecrets.set(id, each);
  }
  const listed = all.filter(({ secret }) => secret === undefined);
  const listedIds = new Set(listed.map(idOf));
  return [
    ...listed.map((each) => {
      const { secret, issuer } = inSecrets.get(idOf(each)) ?? each;
      return { ...each, secret, issuer };
    }),
    ...[...inSecrets].filter(([id]) => !listedIds.has(id)).map(([, each]) => each),
  ];
}

function idOf({ clientId, role, serialNumber }: Found): string {
  return JSON.stringify([clientId, role, normaliseSerial(serialNumber)]);
}

const sortValues: Readonly<
  Record<CertificateSortColumn, (each: Found) => string | number | null | undefined>
> = {
  expires: ({ expiresAt }) => expiresAt,
  client: ({ nodeId }) => nodeId,
  names: ({ names: [first] }) => first ?? null,
  issuer: ({ issuer }) => issuer || null,
  role: ({ role }) => role,
  secret: ({ secret }) => secret,
  path: ({ path }) => path || null,
};

function sortFound(found: readonly Found[], sort: CertificatesQuery['sort']): Found[] {
  const isDescending = sort.startsWith('-');
  const readValue = sortValues[sort.replace(/^-/, '') as CertificateSortColumn];
  return found.toSorted((a, b) => compareSortValues(readValue(a), readValue(b), isDescending));
}

function expiryOf({ expiresAt }: CertificateFacts): EpochMs {
  return expiresAt ?? Number.POSITIVE_INFINITY;
}

/** `text` is in lower case. */
function hasText(
  nodeId: string,
  {
    names,
    path,
    serialNumber,
    issuer,
    secret,
  }: Pick<Found, 'names' | 'path' | 'serialNumber' | 'issuer' | 'secret'>,
  wanted: string,
): boolean {
  if (wanted === '') return true;
  return [nodeId, path, serialNumber, issuer, secret ?? '', ...names].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}

/** Bundles of public authorities have about 150. */
const mostCertificates = 500;
const pem = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/**
 * Reads the certificates of a Secret in proto3 JSON: the first one of a chain, which is the one of the peer itself, and all of
 * a trusted_ca. What is in files or cannot be read is left out.
 */
export function readSecretCertificates(json: unknown): CertificateFacts[] {
  const chain = pemsOf(memberOf(memberOf(json, 'tlsCertificate'), 'certificateChain')).slice(0, 1);
  const trusted = pemsOf(memberOf(memberOf(json, 'validationContext'), 'trustedCa'));
  return [
    ...chain.flatMap((text) => readOne(text, 'chain')),
    ...trusted.slice(0, mostCertificates).flatMap((text) => readOne(text, 'ca')),
  ];
}

/** Serial numbers are written in upper or lower case, and with or without leading zeros. */
function normaliseSerial(serialNumber: string): string {
  return serialNumber.toLowerCase().replace(/^0+/, '');
}

function readOne(text: string, role: CertificateFacts['role']): CertificateFacts[] {
  try {
    const { serialNumber, issuer, subjectAltName, validFrom, validTo } = new X509Certificate(text);
    return [
      {
        role,
        path: '',
        serialNumber: normaliseSerial(serialNumber),
        issuer: issuer.split('\n').reverse().join(', '),
        names: namesOf(subjectAltName ?? ''),
        validFrom: timeOf(validFrom),
        expiresAt: timeOf(validTo),
      },
    ];
  } catch {
    // The bytes are no certificate: validation reports that.
    return [];
  }
}

/** "DNS:a.example, URI:spiffe://b" as Node writes it. */
function namesOf(text: string): string[] {
  return text
    .split(', ')
    .map((name) => name.replace(/^(?:DNS|URI|IP Address|email):/, ''))
    .filter((name) => name !== '');
}

function timeOf(text: string): EpochMs | undefined {
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

function pemsOf(source: unknown): string[] {
  const bytes = memberOf(source, 'inlineBytes');
  const inline = memberOf(source, 'inlineString');
  const text =
    typeof bytes === 'string'
      ? Buffer.from(bytes, 'base64').toString('latin1')
      : typeof inline === 'string'
        ? inline
        : '';
  return text.match(pem) ?? [];
}
