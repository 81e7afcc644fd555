import { status as grpcStatus } from '@grpc/grpc-js';
import type { Problem, Side } from '@/lib/observation/observation';
import type { Codec } from '../codec/codec';
import { CodecError } from '../codec/codec-error';
import { methodOf } from '../codec/service';
import { parseTarget, type Target } from '../dial/target';
import { AskingCalls, CallError } from '../grpc/asking-calls';
import { Backoff } from '../grpc/backoff';
import {
  type ChannelSecurity,
  noSecurity,
  openChannelSecurity,
  type SecurityConfig,
} from '../grpc/channel-security';
import { explainError } from '../grpc/explain-error';
import type { Clock, Observe } from '../observe';
import { PollLoop } from '../poll-diff/poll-loop';
import { PolledStatus } from '../poll-diff/polled-status';
import type { Confirmation, RunningSource, SourceStatus } from '../source-status';
import type { AnswerReader, SourceAnswers } from './answer-reader';
import { ContentsPolicy } from './contents-policy';
import type { PollGate } from './poll-gate';
import type { CompleteNews } from './read-answer';

export interface CsdsPollerOptions {
  readonly sourceId: string;
  /** host:port. The constructor throws when it is not. */
  readonly target: string;
  /** See Target. */
  readonly isNamed?: boolean;
  /** Plain text when absent. */
  readonly security?: SecurityConfig | undefined;
  /** Whom the peer's certificate has to name; the target's host by default. */
  readonly serverName?: string | undefined;
  readonly intervalMs?: number;
  /** At most so many clients of one answer are admitted. Absent: any number. */
  readonly maxClients?: number | undefined;
  /** Time between two pings, 5 s by default. */
  readonly keepaliveMs?: number | undefined;
  readonly deadlineMs?: number;
  /** The longest wait between two polls of a peer that fails; one that comes back is polled at once. */
  readonly maxBackoffMs?: number;
  /** Whether the answers come from a client or a control plane; 'auto' derives it from the statuses of the rows. */
  readonly side?: Side | 'auto';
  readonly observe: Observe;
  readonly clock: Clock;
  readonly codec: Codec;
  readonly answers: AnswerReader;
  /** So many bytes came, and are mostly garbage from then on. */
  readonly onReceived?: (sizeBytes: number) => void;
  /** Of all pollers: who may be asked for the first time now; absent: everybody. */
  readonly gate?: PollGate;
  /** 0 to 1; spreads the polls of many targets. */
  readonly random: () => number;
  readonly onStatus: (status: SourceStatus) => void;
  /** In place of onStatus where an answer was the one before; see PolledStatus. */
  readonly onConfirmed?: (confirmation: Confirmation) => void;
}

const service = 'envoy.service.status.v3.ClientStatusDiscoveryService';
const paths = {
  streamPath: methodOf(service, 'StreamClientStatus').path,
  fetchPath: methodOf(service, 'FetchClientStatus').path,
};

const defaultLimitBytes = 4 * 1024 * 1024;

/**
 * Polls one CSDS peer: one question at a time, the next one an interval (spread by 10 %) after the last one began.
 * Reports what changed, and nothing when nothing did.
 */
export class CsdsPoller implements RunningSource {
  private readonly polled: PolledStatus;
  private readonly target: Target;
  private readonly security: ChannelSecurity;
  private readonly calls: AskingCalls;
  private readonly backoff: Backoff;
  private readonly policy = new ContentsPolicy();
  private readonly requests: { readonly full: Buffer; readonly withoutContents: Buffer };
  private readonly answers: SourceAnswers;
  /** Digests of the newest answers: one that is the same again needs no look. Reset when the peer fails. */
  private newest: { full?: string; withoutContents?: string } = {};
  /** Of what is known: does any row have a body? */
  private hasContents = false;
  private named: readonly string[] = [];
  private answerNotes: readonly string[] = [];
  /** When the newest answer that came was asked for. */
  private answeredAt: number | undefined;
  private readonly loop: PollLoop;

  constructor(private readonly options: CsdsPollerOptions) {
    const parsed = parseTarget(options.target);
    if (!parsed.ok) throw new Error(`${options.sourceId}: ${parsed.problem.message}`);
    this.target = { ...parsed.target, isNamed: options.isNamed ?? false };
    this.security = openChannelSecurity(options.security ?? noSecurity, options.clock, () =>
      this.polled.update({}),
    );
    const { serverName, keepaliveMs, clock, random } = options;
    const { target, security } = this;
    this.calls = new AskingCalls({ ...paths, target, security, clock, random, serverName, keepaliveMs });
    this.backoff = new Backoff({
      initialMs: 1_000,
      maxMs: options.maxBackoffMs ?? 30_000,
      random: options.random,
    });
    this.loop = new PollLoop(clock, (era) => this.poll(era));
    this.answers = options.answers.open();
    const request = 'envoy.service.status.v3.ClientStatusRequest';
    this.requests = {
      full: Buffer.from(options.codec.encode(request, {})),
      withoutContents: Buffer.from(options.codec.encode(request, { excludeResourceContents: true })),
    };
    this.polled = new PolledStatus({
      ...options,
      vantage: 'csds',
      intervalMs: this.intervalMs,
      problems: () => this.security.tls?.problems ?? [],
    });
  }

  get status(): SourceStatus {
    return this.polled.now;
  }

  start(): void {
    if (!this.loop.begin()) return;
    this.polled.update({ state: 'connecting', problem: null });
    this.loop.pollNow();
  }

  pause(): void {
    this.stop();
    this.polled.update({ state: 'paused', problem: null });
  }

  resume(): void {
    this.start();
  }

  async close(): Promise<void> {
    this.stop();
    this.calls.close();
    this.security.close();
    await this.loop.settled();
    this.answers.close();
  }

  private get intervalMs(): number {
    return this.options.intervalMs ?? 1_000;
  }

  private stop(): void {
    this.loop.stop();
    this.calls.cancel();
  }

  private async poll(era: number): Promise<void> {
    const leave = this.answeredAt === undefined ? await this.options.gate?.enter() : undefined;
    try {
      if (this.loop.isCurrent(era)) await this.pollOnce(era);
    } finally {
      leave?.();
    }
  }

  private async pollOnce(era: number): Promise<void> {
    const { clock, random } = this.options;
    const startedAt = clock.now();
    try {
      await this.askAndTell(era);
      this.answers.rest();
      if (!this.loop.isCurrent(era)) return;
      this.backoff.reset();
      const spread = 0.9 + 0.2 * random();
      this.loop.pollAfter(leftOf(this.intervalMs * spread, clock.now() - startedAt));
    } catch (error) {
      const problem = await this.explain(error);
      if (!this.loop.isCurrent(era)) return;
      this.fail(problem, startedAt);
    }
  }

  private async askAndTell(era: number): Promise<void> {
    const { clock } = this.options;
    const askedAt = clock.now();
    const excludes = this.policy.nextExcludesContents();
    const answer = await this.calls.ask(
      excludes ? this.requests.withoutContents : this.requests.full,
      this.deadlineMs,
    );
    if (!this.loop.isCurrent(era)) return;
    const latencyMs = clock.now() - askedAt;
    const { digest, sizeBytes } = answer;
    this.options.onReceived?.(sizeBytes);
    const isFull = digest === this.newest.full;
    if (isFull || (excludes && digest === this.newest.withoutContents)) {
      answer.release();
      if (isFull && excludes) this.policy.gotContentsAllTheSame();
      if (isFull) this.policy.gotFull(sizeBytes, this.hasContents);
      else this.policy.gotWithoutContents();
      this.confirm(askedAt, latencyMs);
      return;
    }
    const { sourceId, side = 'auto', maxClients } = this.options;
    const { news, accept } = await this.answers.read(answer.take(), {
      excludesContents: excludes,
      compare: {
        ...{ sourceId, vantage: 'csds', at: clock.now() },
        ...{ previousAt: this.answeredAt, side, maxClients },
      },
    });
    if (!this.loop.isCurrent(era)) return;
    switch (news.kind) {
      case 'same':
        this.newest.withoutContents = digest;
        this.policy.gotWithoutContents();
        this.succeed({ askedAt, latencyMs, named: this.named });
        return;
      case 'different':
        // What it is now is only in a complete answer.
        this.policy.gotWithoutContents();
        this.policy.wantFull();
        await this.askAndTell(era);
        return;
      case 'complete':
        if (excludes) this.policy.gotContentsAllTheSame();
        accept();
        this.newest = { full: digest };
        this.hasContents = this.findContents();
        this.named = this.namedClients();
        this.tell(news, { askedAt, latencyMs, answerBytes: sizeBytes });
    }
  }

  /** A complete answer that is not the same as the last one. */
  private tell(
    { emissions, named, notAdmitted, duplicates, notes }: CompleteNews,
    facts: { askedAt: number; latencyMs: number; answerBytes: number },
  ): void {
    this.policy.gotFull(facts.answerBytes, this.hasContents);
    this.answerNotes = [
      ...notes,
      ...duplicates.map(
        (name) =>
          `Several clients of one answer call themselves "${name}"; they are distinguished by their resources.`,
      ),
    ];
    this.succeed({ ...facts, named, notAdmitted, hasNews: emissions.length > 0 });
    for (const emission of emissions) this.options.observe(emission);
  }

  /** The answer was not decoded: it is the one before. */
  private confirm(askedAt: number, latencyMs: number): void {
    const { state, notes, answerBytes, undecoded = 0 } = this.polled.now;
    const now = this.notes(answerBytes ?? 0);
    const isSame = now.length === notes.length && now.every((note, index) => note === notes[index]);
    if (state === 'up' && isSame) {
      this.answeredAt = askedAt;
      this.polled.confirm({ askedAt, at: this.options.clock.now(), latencyMs });
    } else this.succeed({ askedAt, latencyMs, named: this.named, undecoded: undecoded + 1 });
  }

  private succeed({
    askedAt,
    latencyMs,
    named,
    answerBytes,
    hasNews = false,
    undecoded,
    notAdmitted = this.polled.now.notAdmitted,
  }: {
    askedAt: number;
    latencyMs: number;
    named: readonly string[];
    answerBytes?: number;
    hasNews?: boolean;
    undecoded?: number;
    notAdmitted?: number | undefined;
  }): void {
    this.answeredAt = askedAt;
    const { undecoded: undecodedBefore = 0, answerBytes: knownBytes } = this.polled.now;
    const sizeBytes = answerBytes ?? knownBytes;
    this.polled.succeed({
      ...{ askedAt, named, hasNews, latencyMs, notAdmitted },
      answerBytes: sizeBytes,
      notes: this.notes(sizeBytes ?? 0),
      undecoded: undecoded ?? undecodedBefore,
    });
  }

  private fail(problem: Problem, startedAt: number): void {
    const { clock } = this.options;
    this.newest = {};
    this.policy.reset();
    this.polled.fail(problem, startedAt);
    const delayMs = this.backoff.nextDelayMs();
    const isWaiting = this.loop.pollAfter(delayMs);
    // A peer that comes back is polled as soon as its port answers, whatever the back-off says; but not more often
    // than it would be anyway, since it may accept connections only to drop them.
    if (this.calls.isConnected) return;
    this.calls.onceConnected(delayMs, () => {
      if (!isWaiting()) return;
      this.loop.pollAfter(leftOf(this.intervalMs, clock.now() - startedAt));
    });
  }

  private get deadlineMs(): number {
    return this.options.deadlineMs ?? 10_000;
  }

  private findContents(): boolean {
    for (const { rows } of this.answers.known.values()) {
      for (const { hash } of rows.values()) if (hash !== null) return true;
    }
    return false;
  }

  private namedClients(): string[] {
    return [...this.answers.known.keys()];
  }

  private notes(answerBytes: number): string[] {
    const notes = [...this.answerNotes];
    if (this.calls.usesFetch) {
      notes.push('StreamClientStatus is not implemented: polling with FetchClientStatus.');
    }
    if (answerBytes > defaultLimitBytes) {
      const size = (answerBytes / 2 ** 20).toFixed(1);
      notes.push(
        `The answer has ${size} MiB: a gRPC client with the default limit of 4 MiB could not read it.`,
      );
    }
    if (this.policy.isUnderstood) {
      notes.push(
        'Most polls leave the resource contents out (exclude_resource_contents); changes are fetched in full.',
      );
    }
    if (this.calls.hasUnaskedAnswers) {
      notes.push('The server sends answers that nobody asked for; they are ignored.');
    }
    return notes;
  }

  private async explain(error: unknown): Promise<Problem> {
    const { target, deadlineMs } = this;
    if (error instanceof CallError)
      return explainError(error, { target, service: 'CSDS', deadlineMs, tls: this.security.tls });
    if (error instanceof CodecError) {
      return {
        code: 'BAD_ANSWER',
        message: `${target.text}: ${error.message}`,
        hint: 'Is this a CSDS v3 server?',
      };
    }
    return explainError(
      { code: grpcStatus.INTERNAL, details: error instanceof Error ? error.message : String(error) },
      { target, service: 'CSDS', deadlineMs, tls: this.security.tls },
    );
  }
}

/** What is left of an interval; the whole of it at most, since a clock may be set back in the meantime. */
function leftOf(intervalMs: number, passedMs: number): number {
  return Math.min(Math.max(intervalMs - passedMs, 0), intervalMs);
}
