import { type EffectState, inEffect } from '@/lib/facts/effect';
import { type ClientReport, resourceKey } from '@/lib/observation/client-state';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { type CertificateFacts, readCertificates } from '@/lib/views/certificates/read-certificates';
import type { Certificate } from '@/lib/views/certificates/schema';
import { certificateList } from '@/lib/views/issues/read-certificate-conditions';
import { SDS } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import { boundedCache } from '../../bounded-cache';
import type { Codec } from '../../codec/codec';
import type { LiveState } from '../../live/live-state';
import type { Recorder } from '../../store/recorder/recorder';
import { inSlices } from '../../workers/threads/in-slices';
import type { ImportsApi } from '../files/imports-api';
import { normaliseSerial, readSecretCertificates } from './read-secret-certificates';

export interface CertificateReaderParts {
  readonly live: Pick<LiveState, 'world' | 'revisionOf'>;
  readonly recorder: Pick<Recorder, 'readBodies'>;
  readonly codec: Pick<Codec, 'decodeMany'>;
  readonly imports: Pick<ImportsApi, 'fileOf'>;
}

const key = resourceKey(certificateList);
/** Lists and secrets beyond it are counted as unread. */
const listsKept = 20_000;

/** Certificates as one source reported them: a list of Envoy's, or those of a secret. */
interface ReportedList {
  readonly sourceId: string;
  readonly seenAt: EpochMs;
  readonly hash: string;
  /** The name of the secret; undefined: the answer of /certs. */
  readonly secret: string | undefined;
  /** Envoy lists what its connections use; a secret may have been rejected, or may wait. */
  readonly isInEffect: boolean;
}

type ClientLists = Pick<Certificate, 'clientId' | 'nodeId' | 'snapshotAt' | 'isUndated'> & {
  readonly lists: readonly ReportedList[];
};

export type FoundCertificate = Pick<Certificate, 'clientId' | 'nodeId' | 'snapshotAt' | 'isUndated'> &
  Omit<ReportedList, 'hash'> &
  CertificateFacts;

interface FoundCertificates {
  readonly items: readonly FoundCertificate[];
  /** The number of clients with certificates, and of lists that are no longer stored. */
  readonly clients: number;
  readonly unread: number;
}

/** Reads the certificates that Envoys report at /certs, and those in the secrets of all clients. */
export class CertificateReader {
  readonly #parts: CertificateReaderParts;
  readonly #read = boundedCache<readonly CertificateFacts[]>(listsKept);
  /** The lists by client, as long as its revision is the same. */
  readonly #lists = new Map<string, { readonly revision: number; readonly lists: readonly ReportedList[] }>();

  constructor(parts: CertificateReaderParts) {
    this.#parts = parts;
  }

  /** Finds what is reported now of one client, by default of all. */
  async find(wanted: string | undefined, signal?: AbortSignal): Promise<FoundCertificates> {
    const { live } = this.#parts;
    for (const clientId of this.#lists.keys()) if (!live.world.has(clientId)) this.#lists.delete(clientId);
    const found: ClientLists[] = [];
    await inSlices(
      [...live.world.values()].filter(({ clientId }) => wanted === undefined || wanted === clientId),
      ({ clientId, node, reports }) => {
        const revision = live.revisionOf(clientId);
        const known = this.#lists.get(clientId);
        const lists = known?.revision === revision ? known.lists : listsOf(reports.values());
        this.#lists.set(clientId, { revision, lists });
        if (lists.length > 0) found.push({ ...this.#clientOf(clientId, node.id), lists });
      },
      1,
    );
    return this.#readLists(found, signal);
  }

  /** Finds what the rows of a client at a moment contain. */
  async findInRows(
    { id, nodeId }: { readonly id: string; readonly nodeId: string },
    rows: readonly ResourceRow[],
    signal?: AbortSignal,
  ): Promise<readonly FoundCertificate[]> {
    const lists = rows.flatMap((row) => listOfRow(row, '', row.changedAt));
    const { items } = await this.#readLists([{ ...this.#clientOf(id, nodeId), lists }], signal);
    return items;
  }

  /** A certificate of a file is judged at the time of the file. */
  #clientOf(clientId: string, nodeId: string): Omit<ClientLists, 'lists'> {
    const file = this.#parts.imports.fileOf(clientId);
    return {
      ...{ clientId, nodeId },
      ...(file?.isUndated && { isUndated: true as const }),
      ...(file && !file.isUndated && file.to !== null && { snapshotAt: file.to }),
    };
  }

  async #readLists(
    clients: readonly ClientLists[],
    signal: AbortSignal | undefined,
  ): Promise<FoundCertificates> {
    const all = clients.flatMap(({ lists, ...client }) => lists.map((list) => ({ ...client, ...list })));
    await this.#readMissing(all, signal);
    let unread = 0;
    const items: FoundCertificate[] = [];
    await inSlices(all, ({ hash, ...reported }) => {
      const facts = this.#read.get(hash);
      if (facts === undefined) unread += 1;
      for (const each of facts ?? []) items.push({ ...reported, ...each });
    });
    return { items: joinSecrets(items), clients: clients.length, unread };
  }

  async #readMissing(lists: readonly ReportedList[], signal: AbortSignal | undefined): Promise<void> {
    const { recorder, codec } = this.#parts;
    const missing = lists.filter(({ hash }) => !this.#read.has(hash)).slice(0, listsKept);
    const types = new Map(
      missing.map(({ hash, secret }) => [hash, secret === undefined ? certificateList.typeUrl : SDS.typeUrl]),
    );
    if (types.size === 0) return;
    const bodies = [...(await recorder.readBodies(types.keys(), signal)).values()];
    const decoded = await codec.decodeMany(
      bodies.map(({ bytes, hash }) => ({ typeUrl: types.get(hash) ?? certificateList.typeUrl, bytes })),
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
          types.get(hash) === certificateList.typeUrl ? readCertificates(json) : readSecretCertificates(json),
        ),
      1,
    );
  }
}

function listsOf(reports: Iterable<ClientReport>): ReportedList[] {
  return [...reports].flatMap(({ sourceId, side, goneAt, resources }) => {
    if (goneAt !== null) return [];
    const own = resources.get(key);
    const rows = side === 'client' ? resources.values() : own === undefined ? [] : [own];
    return [...rows].flatMap((row) => listOfRow(row, sourceId, row.changedAt));
  });
}

function listOfRow(row: EffectState & ResourceKey, sourceId: string, seenAt: EpochMs): ReportedList[] {
  const { typeUrl, name, hash } = row;
  if (hash === null) return [];
  if (typeUrl === certificateList.typeUrl && name === certificateList.name)
    return [{ sourceId, seenAt, hash, secret: undefined, isInEffect: true }];
  if (typeUrl !== SDS.typeUrl) return [];
  return [{ sourceId, seenAt, hash, secret: name, isInEffect: inEffect(row).kind === 'payload' }];
}

/**
 * One certificate of a client that is in a secret and in Envoy's list is one entry, found by its serial number. The list states
 * no issuer. A secret that several sources report is listed once.
 */
function joinSecrets(all: readonly FoundCertificate[]): FoundCertificate[] {
  const inSecrets = new Map<string, FoundCertificate>();
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

function idOf({ clientId, role, serialNumber }: FoundCertificate): string {
  return JSON.stringify([clientId, role, normaliseSerial(serialNumber)]);
}
