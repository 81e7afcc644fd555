import { formatDuration } from '../format/duration';
import { formatIsoTime } from '../format/iso-time';
import type { EpochMs } from '../xds/units';
import type { ConvergenceFact } from './convergence-fact';
import type { ConvergenceTarget } from './convergence-target';

/**
 * - accepted: the client accepted the target. The curve counts these clients only.
 * - rejected, silent, behind, unclear, missing: the client is stuck.
 * - passed-over: it accepted a later target instead. already: it had the same content before. joined-later: it connected
 *   after the push, and accepted what it was sent. left: it unsubscribed. These clients are not counted. A client that
 *   connected later, and rejects or does not answer, is stuck.
 */
export const stuckKinds = ['rejected', 'silent', 'behind', 'unclear', 'missing'] as const;
export const uncountedKinds = ['passed-over', 'already', 'joined-later', 'left'] as const;
/** In the order of the list of clients. */
export const outcomeKinds = [...stuckKinds, 'accepted', ...uncountedKinds] as const;
export type OutcomeKind = (typeof outcomeKinds)[number];

const stuck: ReadonlySet<OutcomeKind> = new Set(stuckKinds);

export function isStuckOutcome({ kind }: { readonly kind: OutcomeKind }): boolean {
  return stuck.has(kind);
}

export interface ClientOutcome {
  readonly clientId: string;
  readonly kind: OutcomeKind;
  /** The time of the outcome; null if it is not reported. */
  readonly at: EpochMs | null;
  /** The earliest possible time of `accepted`; equal to `at` unless a poll reported it. */
  readonly earliestAt: EpochMs | null;
  /** The time when the target was sent to the client; null if that was not observed. */
  readonly sentAt: EpochMs | null;
  readonly before: {
    readonly version: string;
    readonly hash: string | null;
    readonly since: EpochMs;
  } | null;
  /** error_detail, or the reason of `silent`. */
  readonly text: string;
  /** Whether the client rejected the target before the outcome. */
  readonly wasRejected: boolean;
  /** The position of the evidence in the log; 0 if there is none. */
  readonly seq: number;
}

/** Decides the outcome of one client. `facts` are all its facts, in order; `joinedAt` is its first observation. */
export function decideClient(
  clientId: string,
  facts: readonly ConvergenceFact[],
  target: ConvergenceTarget,
  joinedAt?: EpochMs,
): ClientOutcome {
  const fold = new OutcomeFold(target);
  for (const fact of facts) fold.add(fact);
  return { clientId, ...fold.outcome(joinedAt) };
}

/** Folds the facts of one client. MUTABLE. */
class OutcomeFold {
  private sent: ConvergenceFact | undefined;
  private accepted: ConvergenceFact | undefined;
  private newer: ConvergenceFact | undefined;
  private rejected: ConvergenceFact | undefined;
  private rejectedIt = false;
  private unclear: ConvergenceFact | undefined;
  private missing: ConvergenceFact | undefined;
  private gone: ConvergenceFact | undefined;
  private dropped: ConvergenceFact | undefined;
  private before: ConvergenceFact | undefined;
  private askedFirst: ConvergenceFact | undefined;
  private isFirst = true;
  /** Nonces of responses after the target's, and of those with the target. */
  private readonly laterNonces = new Set<string>();
  private readonly ownNonces = new Set<string>();

  constructor(private readonly target: ConvergenceTarget) {}

  add(fact: ConvergenceFact): void {
    if (fact.what !== 'gone' && fact.what !== 'dropped') {
      this.gone = undefined;
      if (fact.name !== null) this.dropped = undefined;
    }
    const { isIt, firstAt } = this.target;
    switch (fact.what) {
      case 'gone':
        this.gone = fact;
        return;
      case 'back':
        return;
      case 'dropped':
        if (this.isResource) this.dropped = fact;
        return;
      case 'asked':
        if (this.isFirst && this.isResource) this.askedFirst = fact;
        break;
      case 'sent':
        if (isIt(fact)) {
          this.sent ??= fact;
          if (fact.nonceKey !== null) this.ownNonces.add(fact.nonceKey);
        } else if (this.sent !== undefined && fact.nonceKey !== null) this.laterNonces.add(fact.nonceKey);
        break;
      case 'accepted':
        this.missing = undefined;
        this.takeAccepted(fact);
        break;
      case 'rejected':
        this.rejectedIt ||= isIt(fact) || this.isAnswer(fact);
        if (isIt(fact) || this.isAnswer(fact) || this.isRejectedLater(fact)) this.rejected = fact;
        break;
      case 'unclear':
        if (isIt(fact)) this.unclear = fact;
        break;
      case 'missing':
        if (this.isResource && fact.at >= firstAt) this.missing = fact;
        break;
    }
    this.isFirst = false;
  }

  outcome(joinedAt: EpochMs | undefined): Omit<ClientOutcome, 'clientId'> {
    const { accepted, newer, rejected, unclear, missing, gone, dropped, before, sent, target } = this;
    const { firstAt, hash } = target;
    const joined = this.askedFirst?.at ?? joinedAt;
    const reported = {
      sentAt: sent?.at ?? null,
      before: before ? { version: before.version, hash: before.hash, since: before.at } : null,
      wasRejected: rejected !== undefined,
      earliestAt: null,
      text: '',
    };
    const end = (kind: OutcomeKind, fact: ConvergenceFact | undefined, text = '') => ({
      ...reported,
      kind,
      text,
      at: fact?.at ?? null,
      seq: fact?.seq ?? 0,
    });
    const hadIt = hash !== null && before?.hash === hash;
    const isSettled = accepted !== undefined || newer !== undefined || hadIt;
    const hasToAnswer = this.rejectedIt || sent !== undefined;
    if (joined !== undefined && joined > firstAt && (isSettled || !hasToAnswer)) {
      return { ...end('joined-later', accepted ?? sent), at: joined };
    }
    if (accepted !== undefined) {
      const { at, after } = accepted;
      const earliest = after === undefined ? at : (after ?? firstAt);
      return { ...end('accepted', accepted), earliestAt: Math.min(at, Math.max(firstAt, earliest)) };
    }
    if (newer !== undefined) return end('passed-over', newer);
    if (hadIt) return end('already', before);
    if (dropped !== undefined) return end('left', dropped);
    if (rejected !== undefined) return end('rejected', rejected, rejected.text);
    if (unclear !== undefined) return end('unclear', unclear, unclear.text);
    if (gone !== undefined) return end('silent', gone, gone.text);
    if (missing !== undefined) return end('missing', missing, missing.text);
    return end('behind', sent ?? before);
  }

  private takeAccepted(fact: ConvergenceFact): void {
    if (this.target.isIt(fact) || this.isAnswer(fact)) this.accepted ??= fact;
    else if (this.isNewer(fact)) this.newer ??= fact;
    else if (this.accepted === undefined) this.before = fact;
  }

  private get isResource(): boolean {
    return this.target.hash !== null;
  }

  /** Delta ACKs contain no version, but a nonce. For a resource only facts about the resource count. */
  private isAnswer({ nonceKey, name }: ConvergenceFact): boolean {
    return !this.isResource && name === null && nonceKey !== null && this.ownNonces.has(nonceKey);
  }

  /** The order of responses decides, if they were observed: an earlier response may be answered late. */
  private isNewer(fact: ConvergenceFact): boolean {
    const { nonceKey, name, version } = fact;
    if (this.isResource || nonceKey === null) return this.target.isNewer(fact);
    if (!this.laterNonces.has(nonceKey)) return false;
    // In state of the world a later version replaces the target. In delta it may be about other resources.
    return name === null ? version !== '' : this.target.isNewer(fact);
  }

  /** Whether the client rejects a later content, and keeps the one before. */
  private isRejectedLater({ at, name }: ConvergenceFact): boolean {
    return this.isResource && name !== null && at >= this.target.firstAt;
  }
}

/** Describes an outcome. `until` is the end of the known facts. */
export function describeOutcome(outcome: ClientOutcome, until: EpochMs): string {
  const { kind, at, sentAt, before, text, wasRejected } = outcome;
  const held =
    before === null ? '' : `, still on ${versionText(before.version)} since ${formatIsoTime(before.since)}`;
  switch (kind) {
    case 'accepted':
      return outcome.earliestAt === at ? 'accepted' : 'accepted, as a poll reported afterwards';
    case 'rejected':
      return `rejected${held}`;
    case 'silent':
      return `silent${at === null ? '' : ` for ${formatDuration(Math.max(0, until - at))}`}: ${text}${held}`;
    case 'behind':
      return sentAt === null ? `not known to be sent to it${held}` : `sent, without an answer${held}`;
    case 'unclear':
      return 'in a response that was accepted in part; it is unknown whether this resource was';
    case 'missing':
      return 'reports that it does not exist';
    case 'passed-over':
      return wasRejected ? 'NACKed, later ACKed a newer version' : 'accepted a newer version without it';
    case 'already':
      return 'had the same content before';
    case 'joined-later':
      return 'joined later';
    case 'left':
      return 'unsubscribed';
  }
}

function versionText(version: string): string {
  return version === '' ? 'a version without a name' : `version ${version}`;
}
