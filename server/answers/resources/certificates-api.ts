import type { Certificate, CertificatePage, CertificatesQuery } from '@/lib/api/certificates';
import { formatIsoTime, formatIsoTimeOrNull } from '@/lib/format/iso-time';
import { resourceKey } from '@/lib/observation/client-state';
import { type CertificateFacts, readCertificates } from '@/lib/view-model/certificates/read-certificates';
import type { EpochMs } from '@/lib/xds/units';
import type { Codec } from '../../codec/codec';
import { growingCache } from '../../growing-cache';
import type { LiveState } from '../../live/live-state';
import type { Clock } from '../../observe';
import type { Recorder } from '../../recorder/recorder';

export interface CertificatesApiParts {
  readonly clock: Clock;
  readonly live: Pick<LiveState, 'world'>;
  readonly recorder: Pick<Recorder, 'readBodies'>;
  readonly codec: Pick<Codec, 'decodeMany'>;
}

const typeUrl = 'type.googleapis.com/envoy.admin.v3.Certificates';
const key = resourceKey({ typeUrl, name: 'certs' });
const soonMs = 30 * 24 * 3_600_000;
const listsKept = 20_000;

/** The certificates of a client, as one source reported them. */
interface ReportedList extends Pick<Certificate, 'clientId' | 'nodeId' | 'sourceId'> {
  readonly seenAt: EpochMs;
  readonly hash: string;
}

/** The certificates that Envoys report at /certs, of all clients. */
export class CertificatesApi {
  private readonly read = growingCache<readonly CertificateFacts[]>(listsKept);

  constructor(private readonly parts: CertificatesApiParts) {}

  async list(
    { client, q, before, offset, limit }: CertificatesQuery,
    signal?: AbortSignal,
  ): Promise<CertificatePage> {
    const lists = this.findLists(client);
    await this.readMissing(lists, signal);
    const wanted = q.toLowerCase();
    let unread = 0;
    const found: (Omit<ReportedList, 'hash'> & CertificateFacts)[] = [];
    for (const { hash, ...reported } of lists) {
      const facts = this.read.get(hash);
      if (facts === undefined) unread += 1;
      for (const each of facts ?? []) {
        const isInTime = before === undefined || expiryOf(each) < before;
        if (isInTime && hasText(reported.nodeId, each, wanted)) found.push({ ...reported, ...each });
      }
    }
    // Equal expiration times keep the order of the clients.
    found.sort((a, b) => (a.expiresAt === b.expiresAt ? 0 : expiryOf(a) - expiryOf(b)));
    const now = this.parts.clock.now();
    const within = (ms: number): number => found.filter((each) => expiryOf(each) <= now + ms).length;
    return {
      items: found.slice(offset, offset + limit).map(formatTimes),
      total: found.length,
      clients: new Set(lists.map(({ clientId }) => clientId)).size,
      unread,
      expired: within(0),
      soon: within(soonMs) - within(0),
    };
  }

  private findLists(wanted: string | undefined): ReportedList[] {
    const lists: ReportedList[] = [];
    for (const { clientId, node, reports } of this.parts.live.world.values()) {
      if (wanted !== undefined && wanted !== clientId) continue;
      for (const { sourceId, goneAt, resources } of reports.values()) {
        const row = goneAt === null ? resources.get(key) : undefined;
        if (row?.hash == null) continue;
        lists.push({
          ...{ clientId, nodeId: node.id, sourceId, hash: row.hash },
          seenAt: row.changedAt,
        });
      }
    }
    return lists;
  }

  private async readMissing(lists: readonly ReportedList[], signal: AbortSignal | undefined): Promise<void> {
    const { recorder, codec } = this.parts;
    const missing = new Set(lists.map(({ hash }) => hash).filter((hash) => !this.read.has(hash)));
    if (missing.size === 0) return;
    const bodies = [...(await recorder.readBodies(missing, signal)).values()];
    const decoded = await codec.decodeMany(
      bodies.map(({ bytes }) => ({ typeUrl, bytes })),
      { signal },
    );
    for (const [index, { json }] of decoded.entries()) {
      const hash = bodies[index]?.hash;
      if (hash !== undefined) this.read.set(hash, readCertificates(json));
    }
  }
}

function expiryOf({ expiresAt }: CertificateFacts): EpochMs {
  return expiresAt ?? Number.POSITIVE_INFINITY;
}

function formatTimes<T extends CertificateFacts & { readonly seenAt: EpochMs }>(certificate: T) {
  const { validFrom, expiresAt, seenAt } = certificate;
  return {
    ...certificate,
    validFrom: formatIsoTimeOrNull(validFrom),
    expiresAt: formatIsoTimeOrNull(expiresAt),
    seenAt: formatIsoTime(seenAt),
  };
}

/** `text` is in lower case. */
function hasText(nodeId: string, { names, path, serialNumber }: CertificateFacts, wanted: string): boolean {
  if (wanted === '') return true;
  return [nodeId, path, serialNumber, ...names].some((text) => text.toLowerCase().includes(wanted));
}
