import { resourceKey } from '@/lib/observation/client-state';
import type { Side } from '@/lib/observation/observation';
import { isSameState } from '@/lib/observation/reconcile';
import type { Codec, ReportedClient, ReportedClients } from '../../codec/codec';
import { methodOf } from '../../codec/service';
import { nextTurn } from '../../workers/threads/in-slices';
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
import { PackedClients } from './packed-clients';
import { PollGate } from './poll-gate';

export interface CsdsPollerOptions extends GrpcPollerOptions {
  /** The side that the answers come from: a client or a control plane. 'auto' derives it from the statuses of the rows. */
  readonly side?: Side | 'auto';
  readonly codec: Codec;
  /** Awaited before a new answer is read. Absent: no wait. */
  readonly beforeReading?: () => Promise<void>;
  /** Called with the size of each answer, most of which is garbage from then on. */
  readonly onReceived?: (sizeBytes: number) => void;
  /** Limits the number of first polls at a time, over all pollers. Absent: no limit. */
  readonly gate?: PollGate;
}

/** The options of a poller that cross the threads. */
export type CsdsSetup = GrpcPollerSetup & Pick<CsdsPollerOptions, 'side'>;

/**
 * Bytes of answers after which the new objects of the heap are collected. Answers are outside of the heap, and V8 would
 * otherwise collect the whole heap for every few megabytes of them, which is each second in a fleet of 10,000.
 */
const garbageBytes = 4 * 1024 * 1024;

/** The pollers of CSDS: tens of thousands of answers a minute do not delay pages. */
export function collectCsds({ codec, polling, sent }: CollectedParts): CollectedKind<CsdsSetup> {
  let received = 0;
  let reading: Promise<unknown> = Promise.resolve();
  const gate = new PollGate(polling);
  const shared = {
    ...{ codec, gate, ...polling },
    /** One answer in a turn of the event loop, after earlier reports: hundreds of peers may have answered at once. */
    beforeReading: () => {
      const turn = reading.then(sent);
      reading = turn.then(nextTurn);
      return turn;
    },
    onReceived: (sizeBytes: number) => {
      received += sizeBytes;
      if (received < garbageBytes) return;
      received = 0;
      setImmediate(() => globalThis.gc?.({ type: 'minor' }));
    },
  };
  return {
    open: (sourceId, setup, { observe, onStatus, onConfirmed }) =>
      new CsdsPoller({ ...shared, ...setup, sourceId, observe, onStatus, onConfirmed }),
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
  readonly #policy = new ContentsPolicy();
  readonly #requests: { readonly full: Buffer; readonly withoutContents: Buffer };
  readonly #known = new PackedClients();
  #clientIds: readonly string[] = [];
  /** Digests of the newest answers: an answer with the same digest is not decoded. Reset when the peer fails. */
  #newest: { full?: string; withoutContents?: string } = {};
  /** True if any known row has a body. */
  #hasContents = false;
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
    const { clock, random, gate } = this.#options;
    const leave = this.#answeredAt === undefined ? await gate?.enter() : undefined;
    try {
      if (!isCurrent()) return 0;
      const startedAt = clock.now();
      await this.#pollAndEmit(isCurrent);
      this.#known.pack();
      return leftOf(this.intervalMs * (0.9 + 0.2 * random()), clock.now() - startedAt);
    } finally {
      leave?.();
    }
  }

  async #pollAndEmit(isCurrent: IsCurrent): Promise<void> {
    const { clock, codec } = this.#options;
    const askedAt = clock.now();
    const excludes = this.#policy.nextExcludesContents();
    const answer = await this.request(excludes ? this.#requests.withoutContents : this.#requests.full);
    if (!isCurrent()) return;
    const { digest, sizeBytes } = answer;
    const answered = { askedAt, latencyMs: clock.now() - askedAt, sizeBytes };
    this.#options.onReceived?.(sizeBytes);
    const isFull = digest === this.#newest.full;
    if (isFull || (excludes && digest === this.#newest.withoutContents)) {
      answer.release();
      if (isFull && excludes) this.#policy.receivedContentsAnyway();
      if (isFull) this.#policy.receivedFull(sizeBytes, this.#hasContents);
      else this.#policy.receivedWithoutContents();
      this.#confirm(answered);
      return;
    }
    await this.#options.beforeReading?.();
    const reported = await codec.decodeClientStatus(answer.take());
    if (!isCurrent()) return;
    if (excludes && !hasContents(reported.clients)) {
      this.#policy.receivedWithoutContents();
      if (isSameApartFromContents(this.#known.get(), reported.clients)) {
        this.#newest.withoutContents = digest;
        this.#succeed(answered, {});
        return;
      }
      // Only a complete answer reports the new state.
      this.#policy.requestFull();
      await this.#pollAndEmit(isCurrent);
      return;
    }
    if (excludes) this.#policy.receivedContentsAnyway();
    this.#newest = { full: digest };
    this.#emit(reported, answered);
  }

  /** Emits what a complete answer changed. */
  #emit(reported: ReportedClients, answered: Answered): void {
    const { clock, sourceId, side = 'auto', maxClients, observe } = this.#options;
    const { observations, next, notAdmitted, duplicates } = compareAnswers(
      this.#known.get(),
      reported.clients,
      {
        ...{ sourceId, vantage: 'csds', at: clock.now(), side, maxClients },
        ...(this.#answeredAt !== undefined && { previousAt: this.#answeredAt }),
      },
    );
    this.#known.set(next);
    this.#clientIds = [...next.keys()];
    this.#hasContents = hasContents(reported.clients);
    const { sizeBytes: answerBytes } = answered;
    this.#policy.receivedFull(answerBytes, this.#hasContents);
    this.#answerNotes = [
      ...reported.notes,
      ...duplicates.map(
        (name) =>
          `Several clients of one answer have the node id "${name}"; they are distinguished by their resources.`,
      ),
    ];
    this.#succeed(answered, { answerBytes, notAdmitted, hasNews: observations.length > 0 });
    const bodies = new Map(reported.bodies.map((body) => [body.hash, body]));
    for (const observation of observations) observe({ observation, bodies: copyBodies(observation, bodies) });
  }

  /** Confirms the state of the previous answer, which has the same digest. */
  #confirm({ askedAt, latencyMs, sizeBytes: bytes }: Answered): void {
    const { state, notes, answerBytes, undecoded = 0 } = this.polled.current;
    const now = this.#notes(answerBytes ?? 0);
    const isSame = now.length === notes.length && now.every((note, index) => note === notes[index]);
    if (state === 'up' && isSame) {
      this.#answeredAt = askedAt;
      this.polled.confirm({ askedAt, at: this.#options.clock.now(), latencyMs, bytes });
    } else this.#succeed({ askedAt, latencyMs }, { undecoded: undecoded + 1 });
  }

  /** Facts that are absent stay as they are. */
  #succeed(
    { askedAt, latencyMs }: Pick<Answered, 'askedAt' | 'latencyMs'>,
    facts: { answerBytes?: number; hasNews?: boolean; undecoded?: number; notAdmitted?: number },
  ): void {
    this.#answeredAt = askedAt;
    const { undecoded = 0, answerBytes, notAdmitted } = this.polled.current;
    const known = { hasNews: false, undecoded, answerBytes, notAdmitted, ...facts };
    const notes = this.#notes(known.answerBytes ?? 0);
    this.polled.succeed({ ...known, askedAt, latencyMs, notes, clientIds: this.#clientIds });
  }

  protected override failed(): void {
    this.#newest = {};
    this.#policy.reset();
  }

  /**
   * Polls a peer again as soon as its port answers, before the back-off ends, but no sooner than an interval after the
   * previous poll, because it may accept connections only to drop them.
   */
  protected override onceReachable(
    delayMs: number,
    startedAt: number,
    pollAfter: (waitMs: number) => void,
  ): void {
    if (this.calls.isConnected) return;
    const { clock } = this.#options;
    this.calls.onceConnected(delayMs, () => pollAfter(leftOf(this.intervalMs, clock.now() - startedAt)));
  }

  #notes(answerBytes: number): string[] {
    const notes = [...this.#answerNotes];
    if (this.calls.usesFetch) {
      notes.push('StreamClientStatus is not implemented: polling with FetchClientStatus.');
    }
    if (answerBytes > defaultLimitBytes) {
      const size = (answerBytes / 2 ** 20).toFixed(1);
      notes.push(
        `The answer has ${size} MiB: a gRPC client with the default limit of 4 MiB could not read it.`,
      );
    }
    if (this.#policy.isSupported) {
      notes.push(
        'Most polls exclude the resource contents (exclude_resource_contents); changes are requested in full.',
      );
    }
    if (this.calls.hasUnrequestedAnswers) {
      notes.push('The server sends answers without requests; they are ignored.');
    }
    return notes;
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

/** The remainder of an interval, at most all of it: the clock may have been set back. */
function leftOf(intervalMs: number, passedMs: number): number {
  return Math.min(Math.max(intervalMs - passedMs, 0), intervalMs);
}

/** Answers up to this size are requested in full, because leaving the contents out would save little. */
const smallAnswerBytes = 256 * 1024;

/** A full answer is requested after this many polls, because some servers change a body under the same version. */
const pollsBetweenFullAnswers = 10;

/**
 * Decides when to set exclude_resource_contents: only towards a peer that supports it (older ones ignore the field and
 * send the bodies), and only if the answers are large.
 */
class ContentsPolicy {
  #support: 'unknown' | 'supported' | 'ignored' = 'unknown';
  #full: { sizeBytes: number; hasContents: boolean } | undefined;
  #pollsSinceFull = 0;

  get isSupported(): boolean {
    return this.#support === 'supported';
  }

  nextExcludesContents(): boolean {
    return (
      this.#support !== 'ignored' &&
      this.#full !== undefined &&
      this.#full.hasContents &&
      this.#full.sizeBytes > smallAnswerBytes &&
      this.#pollsSinceFull < pollsBetweenFullAnswers
    );
  }

  receivedFull(sizeBytes: number, hasContents: boolean): void {
    this.#full = { sizeBytes, hasContents };
    this.#pollsSinceFull = 0;
  }

  receivedWithoutContents(): void {
    this.#support = 'supported';
    this.#pollsSinceFull++;
  }

  /** Makes the next poll request a full answer. */
  requestFull(): void {
    this.#pollsSinceFull = pollsBetweenFullAnswers;
  }

  /** The peer sent contents although the request excluded them. */
  receivedContentsAnyway(): void {
    this.#support = 'ignored';
  }

  /** Called when a poll failed, because another peer may answer next. */
  reset(): void {
    this.#support = 'unknown';
    this.#full = undefined;
  }
}
