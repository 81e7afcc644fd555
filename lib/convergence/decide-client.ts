import { formatDuration } from '../format/duration';
import { formatIsoTime } from '../format/iso-time';
import type { EpochMs } from '../xds/units';
import type { ConvergenceFact } from './convergence-fact';
import type { ConvergenceTarget } from './convergence-target';

/**
 * - accepted: it took it; the only one that the curve counts.
 * - rejected, silent, behind, unclear, missing: it has not: these are stuck.
 * - passed-over: it went on to a newer one without it. already: it had the same before. joined-later: it was not there
 *   yet, and took what it was sent: its time reports nothing of the push. left: it asks for it no more. None of these is
 *   counted. Who came later, and rejects or does not answer what it was sent, is stuck like everybody.
 */
export const stuckKinds = ['rejected', 'silent', 'behind', 'unclear', 'missing'] as const;
export const uncountedKinds = ['passed-over', 'already', 'joined-later', 'left'] as const;
export type OutcomeKind = 'accepted' | (typeof stuckKinds)[number] | (typeof uncountedKinds)[number];

const stuck: ReadonlySet<OutcomeKind> = new Set(stuckKinds);

export function isStuckOutcome({ kind }: { readonly kind: OutcomeKind }): boolean {
  return stuck.has(kind);
}

export interface ClientOutcome {
  readonly clientId: string;
  readonly kind: OutcomeKind;
  /** When it came to that; null: not reported. */
  readonly at: EpochMs | null;
  /** accepted: not before then; the same as `at` where it was seen as it happened. */
  readonly earliestAt: EpochMs | null;
  /** When it was sent there; null: nobody saw that. */
  readonly sentAt: EpochMs | null;
  /** What it had accepted before. */
  readonly before: {
    readonly version: string;
    readonly hash: string | null;
    readonly since: EpochMs;
  } | null;
  /** error_detail, or why it is silent. */
  readonly text: string;
  /** It rejected this one before it came to that. */
  readonly wasRejected: boolean;
  /** Place in the log that shows it; 0: none does. */
  readonly seq: number;
}

/** One client's way to the target. `facts`: all of one client, in their order. `joinedAt`: since when it is known. */
export function decideClient(
  clientId: string,
  facts: readonly ConvergenceFact[],
  target: ConvergenceTarget,
  joinedAt?: EpochMs,
): ClientOutcome {
  const way = new ClientWay(target);
  for (const fact of facts) way.take(fact);
  return { clientId, ...way.outcome(joinedAt) };
}

/** MUTABLE: what is known of one client so far. */
class ClientWay {
  private sent: ConvergenceFact | undefined;
  private accepted: ConvergenceFact | undefined;
  private newer: ConvergenceFact | undefined;
  private rejected: ConvergenceFact | undefined;
  /** It rejected just this. */
  private rejectedIt = false;
  private unclear: ConvergenceFact | undefined;
  private missing: ConvergenceFact | undefined;
  private gone: ConvergenceFact | undefined;
  private dropped: ConvergenceFact | undefined;
  private before: ConvergenceFact | undefined;
  private askedFirst: ConvergenceFact | undefined;
  private isFirst = true;
  /** Responses that came after the target's, and those that brought it. */
  private readonly laterNonces = new Set<string>();
  private readonly ownNonces = new Set<string>();

  constructor(private readonly target: ConvergenceTarget) {}

  take(fact: ConvergenceFact): void {
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

  /** Delta reports no version in its answers: the nonce does. Of a resource its own word counts. */
  private isAnswer({ nonceKey, name }: ConvergenceFact): boolean {
    return !this.isResource && name === null && nonceKey !== null && this.ownNonces.has(nonceKey);
  }

  /** Of versions the order of the responses decides, where they were seen: an earlier one may be answered late. */
  private isNewer(fact: ConvergenceFact): boolean {
    const { nonceKey, name, version } = fact;
    if (this.isResource || nonceKey === null) return this.target.isNewer(fact);
    if (!this.laterNonces.has(nonceKey)) return false;
    // State of the world: a later version takes the place of this one. In delta it may be about other resources.
    return name === null ? version !== '' : this.target.isNewer(fact);
  }

  /** It rejects what came after it, too, and so stays where it was. */
  private isRejectedLater({ at, name }: ConvergenceFact): boolean {
    return this.isResource && name !== null && at >= this.target.firstAt;
  }
}

/** What became of one client, in words. `until`: what came later is not known. */
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
      return 'in a response of which a part is in use; it is unknown whether this resource is in it';
    case 'missing':
      return 'says that it has none';
    case 'passed-over':
      return wasRejected ? 'rejected it, and accepted a newer one' : 'accepted a newer one without it';
    case 'already':
      return 'had the same content before';
    case 'joined-later':
      return 'was not known yet';
    case 'left':
      return 'asks for it no more';
  }
}

function versionText(version: string): string {
  return version === '' ? 'a version without a name' : `version ${version}`;
}
