import { by } from '../collections/compare';
import type { Observation, Recorded } from '../observation/observation';
import { CDS, LDS } from '../xds/resource-type';
import type { EpochMs } from '../xds/units';
import { type ChurnEntry, type ChurnResponse, churnEntryOf } from './churn-entry';
import { VersionsSeen } from './versions-seen';

export const churnKinds: readonly Observation['kind'][] = ['response-received', 'client-config-changed'];

export interface ChurnExtent {
  readonly from: EpochMs;
  readonly until: EpochMs;
  readonly bucketMs: number;
  /** undefined for all types. */
  readonly typeUrl?: string;
}

interface ChurnBucket {
  readonly at: EpochMs;
  bytes: number;
  responses: number;
}

interface TypeChurn {
  readonly typeUrl: string;
  bytes: number;
  responses: number;
  /** The buckets by time; empty ones are absent. */
  readonly buckets: Map<EpochMs, ChurnBucket>;
}

interface ResourceChurn {
  readonly typeUrl: string;
  readonly name: string;
  readonly turns: ContentTurns;
}

interface StreamReported {
  version: string;
  total: number;
  /** Its number among all responses of the index. */
  reported: number;
}

const mostResources = 100_000;
const mostStreams = 50_000;
/** In state of the world the absence of such a resource deletes it. */
const wholeTypes: ReadonlySet<string> = new Set([LDS.typeUrl, CDS.typeUrl]);

/** Counts responses and changes of contents. Precondition: entries are added in the order of the log. MUTABLE. */
export class ChurnIndex {
  readonly #extent: ChurnExtent;
  readonly types = new Map<string, TypeChurn>();
  readonly resources: ResourceChurn[] = [];
  /** Type URL -> name -> turns. */
  readonly #turns = new Map<string, Map<string, ContentTurns>>();
  readonly versions = new VersionsSeen();
  /** The number of contents of resources beyond the limit. */
  resourcesLeftOut = 0;
  /** Stream -> type -> its newest response. */
  readonly #streams = new Map<string, Map<string, StreamReported>>();
  #responses = 0;

  constructor(extent: ChurnExtent) {
    this.#extent = extent;
  }

  addObservation(observation: Recorded): void {
    const entry = churnEntryOf(observation);
    if (entry !== undefined) this.add(entry);
  }

  add({ at, clientId, response, contents }: ChurnEntry): void {
    const { from, until } = this.#extent;
    if (at < from || at > until) return;
    if (response !== null && this.#isWanted(response.typeUrl)) this.#addResponse(response, clientId, at);
    for (const { typeUrl, name, hash, version } of contents) {
      if (this.#isWanted(typeUrl)) this.#turnsOf(typeUrl, name)?.add(hash, version, at);
    }
  }

  #addResponse(response: ChurnResponse, clientId: string, at: EpochMs): void {
    const { typeUrl, sizeBytes, repeats } = response;
    let type = this.types.get(typeUrl);
    if (type === undefined) {
      type = { typeUrl, bytes: 0, responses: 0, buckets: new Map() };
      this.types.set(typeUrl, type);
    }
    const start = Math.floor(at / this.#extent.bucketMs) * this.#extent.bucketMs;
    let bucket = type.buckets.get(start);
    if (bucket === undefined) {
      bucket = { at: start, bytes: 0, responses: 0 };
      type.buckets.set(start, bucket);
    }
    // One observation may represent several equal responses.
    const bytes = sizeBytes * repeats;
    type.bytes += bytes;
    type.responses += repeats;
    bucket.bytes += bytes;
    bucket.responses += repeats;
    this.#countVersion(response, clientId, at);
  }

  /** Counts new versions with and without changes. The first response of a stream is not a push. */
  #countVersion(response: ChurnResponse, clientId: string, at: EpochMs): void {
    const { streamId, typeUrl, version, total, isBare, server, sizeBytes, repeats } = response;
    this.#responses += 1;
    const before = this.#streams.get(streamId)?.get(typeUrl);
    const isSame = isBare && (!wholeTypes.has(typeUrl) || (before !== undefined && before.total === total));
    const isNewVersion = before !== undefined && before.version !== version;
    if (before === undefined)
      this.#addStream(streamId, typeUrl, { version, total, reported: this.#responses });
    else Object.assign(before, { version, total, reported: this.#responses });
    this.versions.add(
      { typeUrl, server, version, clientId, at },
      { isUnchanged: isSame && isNewVersion, bytes: sizeBytes * repeats, responses: repeats },
    );
  }

  #addStream(streamId: string, typeUrl: string, reported: StreamReported): void {
    const types = this.#streams.get(streamId);
    if (types !== undefined) {
      types.set(typeUrl, reported);
      return;
    }
    this.#streams.set(streamId, new Map([[typeUrl, reported]]));
    if (this.#streams.size > mostStreams) this.#forgetStreams();
  }

  /** Forgets the quarter of streams without a response for the longest time. */
  #forgetStreams(): void {
    const newest = (types: ReadonlyMap<string, StreamReported>) =>
      Math.max(...Array.from(types.values(), ({ reported }) => reported));
    const bySilence = Array.from(this.#streams, ([id, types]) => ({ id, reported: newest(types) }));
    bySilence.sort(by(({ reported }) => reported));
    for (const { id } of bySilence.slice(0, bySilence.length / 4)) this.#streams.delete(id);
  }

  #turnsOf(typeUrl: string, name: string): ContentTurns | undefined {
    let ofType = this.#turns.get(typeUrl);
    const known = ofType?.get(name);
    if (known !== undefined) return known;
    if (this.resources.length >= mostResources) {
      this.resourcesLeftOut += 1;
      return undefined;
    }
    if (ofType === undefined) {
      ofType = new Map();
      this.#turns.set(typeUrl, ofType);
    }
    const turns = new ContentTurns(this.#extent.bucketMs);
    ofType.set(name, turns);
    this.resources.push({ typeUrl, name, turns });
    return turns;
  }

  #isWanted(typeUrl: string): boolean {
    return this.#extent.typeUrl === undefined || this.#extent.typeUrl === typeUrl;
  }
}

/** The number of contents and versions that are kept for one resource. Older ones may be counted twice. */
const mostRemembered = 64;

interface Pair {
  readonly hash: string;
  readonly version: string;
}

/**
 * Counts the changes of one resource's content. Many clients report the same change: a known pair of content and version
 * counts once. MUTABLE.
 */
class ContentTurns {
  readonly #bucketMs: number;
  changes = 0;
  /** Changes back to an earlier content. */
  returns = 0;
  lastAt: EpochMs = 0;
  /** The number of changes by the start of their bucket; empty buckets are absent. */
  readonly buckets = new Map<EpochMs, number>();
  #current: string | null = null;
  /** The newest pair, which is mostly reported again. */
  #last: Pair | null = null;
  /** Oldest first. */
  readonly #pairs: Pair[] = [];
  /** Content -> versions. */
  readonly #versions = new Map<string, Set<string>>();
  readonly #hashes = new Set<string>();

  constructor(bucketMs: number) {
    this.#bucketMs = bucketMs;
  }

  add(hash: string, version: string, at: EpochMs): void {
    if (this.#last !== null && this.#last.hash === hash && this.#last.version === version) return;
    if (this.#versions.get(hash)?.has(version)) return;
    this.#last = { hash, version };
    this.#rememberPair(this.#last);
    if (hash === this.#current) return;
    if (this.#current !== null) {
      this.changes += 1;
      this.lastAt = at;
      const start = Math.floor(at / this.#bucketMs) * this.#bucketMs;
      this.buckets.set(start, (this.buckets.get(start) ?? 0) + 1);
      if (this.#hashes.has(hash)) this.returns += 1;
    }
    this.#current = hash;
    this.#rememberHash(hash);
  }

  /** The number of different contents, up to the limit. */
  get contents(): number {
    return this.#hashes.size;
  }

  #rememberPair(pair: Pair): void {
    const { hash, version } = pair;
    this.#pairs.push(pair);
    const versions = this.#versions.get(hash);
    if (versions === undefined) this.#versions.set(hash, new Set([version]));
    else versions.add(version);
    if (this.#pairs.length <= mostRemembered) return;
    const oldest = this.#pairs.shift();
    if (oldest === undefined) return;
    const left = this.#versions.get(oldest.hash);
    left?.delete(oldest.version);
    if (left?.size === 0) this.#versions.delete(oldest.hash);
  }

  #rememberHash(hash: string): void {
    this.#hashes.delete(hash);
    this.#hashes.add(hash);
    if (this.#hashes.size <= mostRemembered) return;
    const [oldest] = this.#hashes;
    if (oldest !== undefined) this.#hashes.delete(oldest);
  }
}
