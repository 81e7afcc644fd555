import { resourceKey } from '@/lib/observation/client-state';
import type { Side } from '@/lib/observation/observation';
import { isSameState } from '@/lib/observation/reconcile';
import type { Codec, ReportedClient, ReportedClients } from '../../codec/codec';
import { methodOf } from '../../codec/service';
import type { CollectedKind, CollectedParts } from '../collector/serve-collector';
import { assignClientIds } from '../poll-diff/assign-client-ids';
import { compareAnswers } from '../poll-diff/compare-answers';
import { copyBodies } from '../poll-diff/copy-bodies';
import {
  GrpcPoller,
  type GrpcPollerKind,
  type GrpcPollerOptions,
  type GrpcPollerSetup,
} from '../poll-diff/grpc-poller';
import type { KnownClients } from '../poll-diff/known-clients';
import type { IsCurrent } from '../poll-diff/poller';
import { type PackedClients, packClients, unpackClients } from './packed-clients';

export interface CsdsPollerOptions extends GrpcPollerOptions {
  /** The side that the answers come from: a client or a control plane. 'auto' derives it from the statuses of the rows. */
  readonly side?: Side | 'auto';
  readonly codec: Codec;
  /** Awaited before a new answer is read, because hundreds of peers may have answered at once. Absent: no wait. */
  readonly beforeReading?: () => Promise<void>;
}

/** The options of a poller that cross the threads. */
export type CsdsSetup = GrpcPollerSetup & Pick<CsdsPollerOptions, 'side'>;

export function collectCsds({ codec, polling, readingTurn }: CollectedParts): CollectedKind<CsdsSetup> {
  const common = { codec, beforeReading: readingTurn, ...polling };
  return {
    open: (sourceId, setup, handler) => new CsdsPoller({ sourceId, ...common, ...handler, ...setup }),
  };
}

const service = 'envoy.service.status.v3.ClientStatusDiscoveryService';
const kind: GrpcPollerKind = {
  ...{ vantage: 'csds', service: 'CSDS', hint: 'Is this a CSDS v3 server?' },
  streamPath: methodOf(service, 'StreamClientStatus').path,
  fetchPath: methodOf(service, 'FetchClientStatus').path,
  ...{ intervalMs: 1_000, deadlineMs: 10_000, maxBackoffMs: 30_000 },
};

const defaultLimitBytes = 4 * 1024 * 1024;
const tooLargeForDefault = 'a gRPC client with the default limit of 4 MiB could not read it.';
const excludedNote =
  'Most polls exclude the resource contents (exclude_resource_contents); changes are requested in full.';

/** A poll whose answer was received. */
interface Answered {
  readonly askedAt: number;
  readonly latencyMs: number;
  readonly sizeBytes: number;
}

/**
 * Polls one CSDS peer: one request at a time, an interval (spread by 10 %) after the previous one began. Emits the
 * changes of each answer.
 */
export class CsdsPoller extends GrpcPoller {
  readonly #options: CsdsPollerOptions;
  readonly #exclusion = new ContentsExclusion();
  readonly #requests: { readonly full: Buffer; readonly withoutContents: Buffer };
  /** Packed between two polls, because there may be thousands of pollers. */
  #known: PackedClients = new Map();
  /** Digests of the newest answers: an answer with the same digest is not decoded. Reset when the peer fails. */
  #newest: { full?: string; withoutContents?: string } = {};
  #answerNotes: readonly string[] = [];
  /** The time when the newest answer was requested. */
  #answeredAt: number | undefined;

  constructor(options: CsdsPollerOptions) {
    super(options, kind);
    this.#options = options;
    const request = 'envoy.service.status.v3.ClientStatusRequest';
    this.#requests = {
      full: Buffer.from(options.codec.encode(request, {})),
      withoutContents: Buffer.from(options.codec.encode(request, { excludeResourceContents: true })),
    };
  }

  protected override async poll(isCurrent: IsCurrent): Promise<number> {
    const startedAt = this.#options.clock.now();
    await this.#pollAndEmit(isCurrent, this.#exclusion.isDue);
    return this.waitAfter(startedAt);
  }

  /** `excludes`: without the contents of resources, if the peer can leave them out. */
  async #pollAndEmit(isCurrent: IsCurrent, excludes: boolean): Promise<void> {
    const { clock, codec, beforeReading } = this.#options;
    const askedAt = clock.now();
    const answer = await this.request(excludes ? this.#requests.withoutContents : this.#requests.full);
    if (!isCurrent()) return;
    const { digest, sizeBytes } = answer;
    const answered = { askedAt, latencyMs: clock.now() - askedAt, sizeBytes };
    const isFull = digest === this.#newest.full;
    if (isFull || (excludes && digest === this.#newest.withoutContents)) {
      answer.release();
      this.#exclusion.received({ excludes, isFull });
      this.#succeed(answered, { undecoded: (this.polled.current.undecoded ?? 0) + 1 });
      return;
    }
    await beforeReading?.();
    const reported = await codec.decodeClientStatus(answer.take());
    if (!isCurrent()) return;
    const isWithout = excludes && !hasContents(reported.clients);
    this.#exclusion.received({ excludes, isFull: !isWithout });
    if (!isWithout) {
      this.#newest = { full: digest };
      this.#emit(reported, answered);
    } else if (isSameApartFromContents(unpackClients(this.#known), reported.clients)) {
      this.#newest.withoutContents = digest;
      this.#succeed(answered);
    }
    // Only a complete answer reports the new state.
    else await this.#pollAndEmit(isCurrent, false);
  }

  /** Emits what a complete answer changed. */
  #emit(reported: ReportedClients, answered: Answered): void {
    const { clock, sourceId, side = 'auto', maxClients, observe } = this.#options;
    const known = unpackClients(this.#known);
    const { observations, next, notAdmitted, duplicates } = compareAnswers(known, reported.clients, {
      ...{ sourceId, vantage: 'csds', at: clock.now(), side, maxClients },
      ...(this.#answeredAt !== undefined && { previousAt: this.#answeredAt }),
    });
    this.#known = packClients(next);
    const { sizeBytes: answerBytes } = answered;
    this.#exclusion.contentBytes = hasContents(reported.clients) ? answerBytes : 0;
    this.#answerNotes = [
      ...reported.notes,
      ...duplicates.map(
        (name) =>
          `Several clients of one answer have the node id "${name}"; they are distinguished by their resources.`,
      ),
    ];
    const clientIds = [...next.keys()];
    this.#succeed(answered, { answerBytes, notAdmitted, clientIds, hasNews: observations.length > 0 });
    const bodies = new Map(reported.bodies.map((body) => [body.hash, body]));
    for (const observation of observations) observe({ observation, bodies: copyBodies(observation, bodies) });
  }

  /** Facts that are absent stay as they are. */
  #succeed(
    { askedAt, latencyMs }: Answered,
    facts: Partial<Parameters<typeof this.polled.succeed>[0]> = {},
  ): void {
    this.#answeredAt = askedAt;
    const { undecoded = 0, answerBytes, notAdmitted, clients } = this.polled.current;
    const clientIds = [...clients.keys()];
    const known = { hasNews: false, undecoded, answerBytes, notAdmitted, clientIds, ...facts };
    const notes = this.#notes(known.answerBytes);
    this.polled.succeed({ ...known, askedAt, latencyMs, notes });
  }

  protected override failed(): void {
    this.#newest = {};
    this.#exclusion.reset();
  }

  #notes(answerBytes = 0): string[] {
    const { usesFetch, hasUnrequestedAnswers } = this.calls;
    const size = (answerBytes / 2 ** 20).toFixed(1);
    const notes: readonly (readonly [holds: boolean, note: string])[] = [
      [usesFetch, 'StreamClientStatus is not implemented: polling with FetchClientStatus.'],
      [answerBytes > defaultLimitBytes, `The answer has ${size} MiB: ${tooLargeForDefault}`],
      [this.#exclusion.isSupported, excludedNote],
      [hasUnrequestedAnswers, 'The server sends answers without requests; they are ignored.'],
    ];
    return [...this.#answerNotes, ...notes.flatMap(([holds, note]) => (holds ? [note] : []))];
  }
}

/** False for an answer to a request that set exclude_resource_contents, if the peer supports that. */
function hasContents(clients: readonly ReportedClient[]): boolean {
  return clients.some(({ resources }) => resources.some(({ hash }) => hash !== null));
}

/** True if an answer without contents has the same clients and resources as are known, apart from bodies. */
export function isSameApartFromContents(known: KnownClients, reported: readonly ReportedClient[]): boolean {
  const { clients } = assignClientIds(reported, known);
  if (clients.size !== known.size) return false;
  for (const [clientId, { node, resources }] of clients) {
    const client = known.get(clientId);
    if (client === undefined || client.rows.size !== resources.length) return false;
    if (JSON.stringify(node) !== JSON.stringify(client.node)) return false;
    for (const resource of resources) {
      const row = client.rows.get(resourceKey(resource));
      if (row === undefined) return false;
      // Only the body may show that the resource came in the v2 API.
      const { hash, sizeBytes, apiVersion, changedAt } = row;
      const failedHash = row.errorState?.failedHash ?? null;
      const errorState = resource.errorState === null ? null : { ...resource.errorState, failedHash };
      if (!isSameState({ ...resource, errorState, hash, sizeBytes, apiVersion, changedAt }, row))
        return false;
    }
  }
  return true;
}

/** Answers up to this size are requested in full, because leaving the contents out would save little. */
const smallAnswerBytes = 256 * 1024;

/** A full answer is requested after this many polls, because some servers change a body under the same version. */
const pollsBetweenFullAnswers = 10;

/**
 * Decides when to set exclude_resource_contents: only towards a peer that supports it (older ones ignore the field and
 * send the bodies), and only if the answers are large.
 */
class ContentsExclusion {
  /** The size of the newest complete answer if it has contents, else 0. */
  contentBytes = 0;
  #support: 'unknown' | 'supported' | 'ignored' = 'unknown';
  #pollsSinceFull = 0;

  get isSupported(): boolean {
    return this.#support === 'supported';
  }

  get isDue(): boolean {
    const isLarge = this.contentBytes > smallAnswerBytes;
    return this.#support !== 'ignored' && isLarge && this.#pollsSinceFull < pollsBetweenFullAnswers;
  }

  /** `excludes`: the request excluded the contents; `isFull`: the answer has them, or was requested in full. */
  received({ excludes, isFull }: { readonly excludes: boolean; readonly isFull: boolean }): void {
    this.#pollsSinceFull = isFull ? 0 : this.#pollsSinceFull + 1;
    if (excludes) this.#support = isFull ? 'ignored' : 'supported';
  }

  /** Called when a poll failed, because another peer may answer next. */
  reset(): void {
    this.#support = 'unknown';
    this.contentBytes = 0;
  }
}
