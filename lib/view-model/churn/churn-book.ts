import type { Observation, Recorded } from '../../observation/observation';
import { CDS, LDS } from '../../xds/resource-type';
import type { EpochMs } from '../../xds/units';
import { type ChurnEntry, type ChurnResponse, churnEntryOf } from './churn-entry';
import { ContentTurns } from './content-turns';
import { VersionsSeen } from './versions-seen';

/** The kinds that say what was sent, or what became different. */
export const churnKinds: readonly Observation['kind'][] = ['response-received', 'client-config-changed'];

export interface ChurnExtent {
  readonly from: EpochMs;
  readonly until: EpochMs;
  readonly bucketMs: number;
  /** undefined: all. */
  readonly typeUrl?: string;
}

export interface ChurnBucket {
  readonly at: EpochMs;
  bytes: number;
  responses: number;
}

export interface TypeChurn {
  readonly typeUrl: string;
  bytes: number;
  responses: number;
  /** By time; empty ones are left out. */
  readonly buckets: Map<EpochMs, ChurnBucket>;
}

export interface ResourceChurn {
  readonly typeUrl: string;
  readonly name: string;
  readonly turns: ContentTurns;
}

const mostResources = 100_000;
const mostStreams = 50_000;
/** State of the world: what is absent is deleted, and no name says so. */
const wholeTypes: ReadonlySet<string> = new Set([LDS.typeUrl, CDS.typeUrl]);

/** MUTABLE: what was sent and what became different, told in the order of the log. */
export class ChurnBook {
  readonly types = new Map<string, TypeChurn>();
  readonly resources = new Map<string, ResourceChurn>();
  readonly versions = new VersionsSeen();
  /** Changed, but there were more than are kept. */
  resourcesLeftOut = 0;
  /** Of each stream and type: how many resources its newest response held, and its version. */
  private readonly streams = new Map<string, { readonly version: string; readonly total: number }>();

  constructor(private readonly extent: ChurnExtent) {}

  take(observation: Recorded): void {
    const entry = churnEntryOf(observation);
    if (entry !== undefined) this.takeEntry(entry);
  }

  takeEntry({ at, clientId, response, contents }: ChurnEntry): void {
    const { from, until } = this.extent;
    if (at < from || at > until) return;
    if (response !== null && this.isWanted(response.typeUrl)) this.takeResponse(response, clientId, at);
    for (const { typeUrl, name, hash, version } of contents) {
      if (this.isWanted(typeUrl)) this.turnsOf(typeUrl, name)?.take(hash, version, at);
    }
  }

  private takeResponse(response: ChurnResponse, clientId: string, at: EpochMs): void {
    const { typeUrl, sizeBytes, repeats } = response;
    let type = this.types.get(typeUrl);
    if (type === undefined) {
      type = { typeUrl, bytes: 0, responses: 0, buckets: new Map() };
      this.types.set(typeUrl, type);
    }
    const start = Math.floor(at / this.extent.bucketMs) * this.extent.bucketMs;
    let bucket = type.buckets.get(start);
    if (bucket === undefined) {
      bucket = { at: start, bytes: 0, responses: 0 };
      type.buckets.set(start, bucket);
    }
    // Responses that changed nothing are told once for several: each was as long.
    for (const each of [type, bucket]) {
      each.bytes += sizeBytes * repeats;
      each.responses += repeats;
    }
    this.judgeVersion(response, clientId, at);
  }

  /** Did it bring a new version, and anything new with it? The first one of a stream is an answer, and no push. */
  private judgeVersion(response: ChurnResponse, clientId: string, at: EpochMs): void {
    const { streamId, typeUrl, version, total, isBare, server, sizeBytes, repeats } = response;
    const key = `${streamId}\u0000${typeUrl}`;
    const before = this.streams.get(key);
    this.streams.delete(key);
    this.streams.set(key, { version, total });
    if (this.streams.size > mostStreams) {
      const [oldest] = this.streams.keys();
      if (oldest !== undefined) this.streams.delete(oldest);
    }
    const isSame = isBare && (!wholeTypes.has(typeUrl) || (before !== undefined && before.total === total));
    const isNewVersion = before !== undefined && before.version !== version;
    this.versions.take(
      { typeUrl, server, version, clientId, at },
      { isUnchanged: isSame && isNewVersion, bytes: sizeBytes * repeats, responses: repeats },
    );
  }

  private turnsOf(typeUrl: string, name: string): ContentTurns | undefined {
    const key = `${typeUrl}\u0000${name}`;
    const known = this.resources.get(key);
    if (known !== undefined) return known.turns;
    if (this.resources.size >= mostResources) {
      this.resourcesLeftOut += 1;
      return undefined;
    }
    const turns = new ContentTurns();
    this.resources.set(key, { typeUrl, name, turns });
    return turns;
  }

  private isWanted(typeUrl: string): boolean {
    return this.extent.typeUrl === undefined || this.extent.typeUrl === typeUrl;
  }
}
