import { formatDuration } from '../format/duration';
import { formatIsoTime } from '../format/iso-time';
import type { EpochMs } from '../xds/units';
import { type ConvergenceFact, isOwnRendering } from './convergence-fact';
import type { ConvergenceTarget } from './convergence-target';

/**
 * - accepted: the client accepted the target. The curve counts these clients only.
 * - rejected: the client NACKed the target. This is final: what it accepts later is another push, or the same content
 *   another time. It is stuck until then.
 * - silent, behind, unclear, missing: the client is stuck.
 * - passed-over: it accepted a later target instead. already: it had the same content before. different: it was
 *   not sent the target, and its content cannot be compared, since the server composes it for each client, or the client
 *   reports what it made of it. joined-later: it connected after the push, or requested the type or the resource for the
 *   first time after it, and accepted what it was sent. left: it unsubscribed. These clients are not counted. A client that
 *   joined later, and rejects or does not answer, is stuck.
 */
const stuckKinds = ['rejected', 'silent', 'behind', 'unclear', 'missing'] as const;
const uncountedKinds = ['passed-over', 'already', 'different', 'joined-later', 'left'] as const;
/** The kinds in the order of the list of clients. */
export const outcomeKinds = [...stuckKinds, 'accepted', ...uncountedKinds] as const;
export type OutcomeKind = (typeof outcomeKinds)[number];

const uncounted: ReadonlySet<OutcomeKind> = new Set(uncountedKinds);

/** Returns true if the push had to reach the client. */
export function isCounted({ kind }: Pick<ClientOutcome, 'kind'>): boolean {
  return !uncounted.has(kind);
}

export function isStuckOutcome({
  kind,
  recoveredAt,
}: {
  readonly kind: OutcomeKind;
  readonly recoveredAt?: EpochMs | string | undefined;
}): boolean {
  return kind !== 'accepted' && !uncounted.has(kind) && recoveredAt === undefined;
}

export interface ClientOutcome {
  readonly clientId: string;
  /** A probe of xdscope, which is not a client of the mesh. */
  readonly isProbe: boolean;
  /** A source that reports the client. */
  readonly sourceId: string;
  readonly kind: OutcomeKind;
  /** The time of the outcome; null if it is not reported. */
  readonly at: EpochMs | undefined;
  /** The earliest possible time of `accepted`; equal to `at` unless a poll reported it. */
  readonly earliestAt: EpochMs | null;
  /** The time when the target was sent to the client; null if that was not observed. */
  readonly sentAt: EpochMs | undefined;
  /** The time of the ACK or NACK of the target; null if there is none, or it is not reported. */
  readonly answeredAt: EpochMs | undefined;
  /** The time at which the control plane reported that it had sent the target; null if it did not. */
  readonly controlPlaneAt: EpochMs | undefined;
  /** The time since which all of the target that the client was sent is in effect; null if that is not reported. */
  readonly inEffectAt: EpochMs | undefined;
  /** The time at which the client, after a NACK, had accepted each rejected resource, or no longer had it. Absent: it has not. */
  readonly recoveredAt: EpochMs | undefined;
  /** The content that the client had accepted before the target. */
  readonly before:
    | {
        readonly version: string;
        readonly hash: string | undefined;
        readonly since: EpochMs;
      }
    | undefined;
  /** error_detail, or the reason of `silent`. */
  readonly text: string;
  /** The position of the evidence in the log; 0 if there is none. */
  readonly seq: number;
}

interface DecideContext {
  /** The client's first observation. */
  readonly joinedAt?: EpochMs | undefined;
  readonly splitNames: ReadonlySet<string>;
  /** Resources that some client or server reports with a version. */
  readonly versionedNames: ReadonlySet<string>;
  /** Versions that streams carried after the target and nobody reported before it. */
  readonly laterVersions: ReadonlySet<string>;
}

/** Decides the outcome of one client. `facts` are all its facts, in order. */
export function decideClient(
  clientId: string,
  facts: readonly ConvergenceFact[],
  target: ConvergenceTarget,
  context: DecideContext,
): ClientOutcome {
  const fold = new OutcomeFold(target, context);
  for (const fact of facts) fold.add(fact);
  const isProbe = facts.some(({ vantage }) => vantage === 'probe');
  return { clientId, isProbe, sourceId: facts[0]?.sourceId ?? '', ...fold.outcome(context.joinedAt) };
}

/** Folds the facts of one client. MUTABLE. */
class OutcomeFold {
  readonly #target: ConvergenceTarget;
  readonly #context: DecideContext;
  #sent: ConvergenceFact | undefined;
  #accepted: ConvergenceFact | undefined;
  #newer: ConvergenceFact | undefined;
  #rejected: ConvergenceFact | undefined;
  #unclear: ConvergenceFact | undefined;
  #missing: ConvergenceFact | undefined;
  #controlPlaneAt: EpochMs | undefined;
  #gone: ConvergenceFact | undefined;
  #dropped: ConvergenceFact | undefined;
  #before: ConvergenceFact | undefined;
  #askedFirst: ConvergenceFact | undefined;
  #isFirst = true;
  /** The resources that the client rejected, and how each ended since: accepted, or dropped. */
  readonly #rejectedNames = new Set<string>();
  readonly #endedNames = new Map<string, ConvergenceFact>();
  /** The first ACK of a message after the rejection. */
  #laterAck: ConvergenceFact | undefined;
  /** Nonces of responses after the target's, and of those with the target. */
  readonly #laterNonces = new Set<string>();
  readonly #ownNonces = new Set<string>();
  /** Resources of the target that the client was sent, and those that it has with whatever content. */
  readonly #sentNames = new Set<string>();
  readonly #heldNames = new Set<string>();
  readonly #comparableNames = new Set<string>();
  /** The value for a resource is true if the content that the client accepted last is that of the target. */
  readonly #hasContent = new Map<string, boolean>();
  /** Resources that are in effect with the content of the target, and since when. */
  readonly #effective = new Map<string, EpochMs>();

  constructor(target: ConvergenceTarget, context: DecideContext) {
    this.#target = target;
    this.#context = context;
  }

  add(fact: ConvergenceFact): void {
    if (fact.what !== 'gone' && fact.what !== 'dropped') {
      this.#gone = undefined;
      if (fact.name !== null) this.#dropped = undefined;
    }
    const { isIt, isNamed, firstAt } = this.#target;
    if (fact.name !== null && isNamed(fact)) {
      this.#heldNames.add(fact.name);
      if (!this.#isRendering(fact)) this.#comparableNames.add(fact.name);
    }
    switch (fact.what) {
      case 'gone':
        this.#gone = fact;
        return;
      case 'back':
        return;
      case 'dropped':
        if (this.#isResource) this.#dropped = fact;
        if (fact.name !== null && this.#rejectedNames.has(fact.name)) this.#endedNames.set(fact.name, fact);
        return;
      case 'asked':
        if (this.#isFirst) this.#askedFirst = fact;
        break;
      case 'sent':
        this.#takeSent(fact);
        break;
      case 'accepted':
        this.#missing = undefined;
        this.#takeAccepted(fact);
        this.#takeEffect(fact);
        break;
      case 'rejected':
        if (isIt(fact) || this.#isAnswer(fact)) this.#rejected ??= fact;
        this.#takeRejectedName(fact);
        break;
      case 'unclear':
        if (isIt(fact)) this.#unclear = fact;
        break;
      case 'missing':
        if (this.#isResource && fact.at >= firstAt) this.#missing = fact;
        break;
    }
    this.#isFirst = false;
  }

  outcome(joinedAt: EpochMs | undefined): Omit<ClientOutcome, 'clientId' | 'isProbe' | 'sourceId'> {
    const accepted = this.#accepted,
      newer = this.#newer,
      rejected = this.#rejected,
      unclear = this.#unclear,
      missing = this.#missing,
      gone = this.#gone,
      dropped = this.#dropped,
      before = this.#before,
      sent = this.#sent,
      target = this.#target;
    const { firstAt, hash } = target;
    const joined = this.#askedFirst?.at ?? joinedAt;
    const reported = {
      sentAt: sent?.at,
      controlPlaneAt: this.#controlPlaneAt,
      answeredAt: (rejected ?? accepted)?.at,
      inEffectAt: this.#inEffectAt,
      recoveredAt: this.#recoveredAt,
      before: before
        ? { version: before.version, hash: before.hash ?? undefined, since: before.at }
        : undefined,
      earliestAt: null,
      text: '',
    };
    const end = (kind: OutcomeKind, fact: ConvergenceFact | undefined, text = '') => ({
      ...reported,
      kind,
      text,
      at: fact?.at,
      seq: fact?.seq ?? 0,
    });
    if (rejected !== undefined) return end('rejected', rejected, rejected.text);
    const hadIt = hash === null ? sent === undefined && this.#hasAllContents : before?.hash === hash;
    const isSettled = accepted !== undefined || newer !== undefined || hadIt;
    if (joined !== undefined && joined > firstAt && (isSettled || sent === undefined)) {
      return { ...end('joined-later', accepted ?? sent), at: joined };
    }
    if (accepted !== undefined) {
      const { at, after } = accepted;
      const earliest = after === undefined ? at : (after ?? firstAt);
      return { ...end('accepted', accepted), earliestAt: Math.min(at, Math.max(firstAt, earliest)) };
    }
    if (sent === undefined && this.#hasOwnContents) return end('different', before);
    if (newer !== undefined) return end('passed-over', newer);
    if (hadIt) return end('already', before);
    if (dropped !== undefined) return end('left', dropped);
    if (unclear !== undefined) return end('unclear', unclear, unclear.text);
    if (gone !== undefined) return end('silent', gone, gone.text);
    if (missing !== undefined) return end('missing', missing, missing.text);
    return end('behind', sent ?? before);
  }

  #takeSent(fact: ConvergenceFact): void {
    if (!this.#target.isIt(fact)) {
      if (this.#sent !== undefined && fact.nonceKey !== null) this.#laterNonces.add(fact.nonceKey);
      return;
    }
    this.#sent ??= fact;
    if (fact.isFromControlPlane) this.#controlPlaneAt ??= fact.at;
    if (fact.nonceKey !== null) this.#ownNonces.add(fact.nonceKey);
    if (fact.name !== null && fact.hash !== null) this.#sentNames.add(fact.name);
  }

  #takeAccepted(fact: ConvergenceFact): void {
    if (this.#target.isIt(fact) || this.#isAnswer(fact)) {
      this.#accepted ??= fact;
      this.#takeRecovery(fact);
    } else if (this.#isNewer(fact)) {
      this.#newer ??= fact;
      this.#takeRecovery(fact);
    } else if (this.#accepted === undefined && this.#isBefore(fact)) this.#before = fact;
  }

  /** The rows of a NACK name the resources that it rejects; they follow the fact of the message. */
  #takeRejectedName(fact: ConvergenceFact): void {
    const { isIt, isNamed, version } = this.#target;
    if (this.#rejected === undefined || fact.name === null || !isNamed(fact)) return;
    if (!isIt(fact) && fact.version !== version) return;
    this.#rejectedNames.add(fact.name);
    this.#endedNames.delete(fact.name);
  }

  #takeRecovery(fact: ConvergenceFact): void {
    const { name, hash, isInEffect } = fact;
    if (this.#rejected === undefined) return;
    if (name === null) this.#laterAck ??= fact;
    // Envoy ACKs a payload that it has rejected before, and does not use it.
    else if ((isInEffect || hash === null) && !this.#endedNames.has(name)) this.#endedNames.set(name, fact);
  }

  /** A NACK ends when the rejected resources are accepted or gone; what is ACKED of other resources does not end it. */
  get #recoveredAt(): EpochMs | undefined {
    if (this.#rejectedNames.size === 0) return this.#laterAck?.at;
    const ends = [...this.#rejectedNames].map((name) => this.#endedNames.get(name)?.at);
    return ends.includes(undefined) ? undefined : Math.max(...ends.map((at) => at ?? 0));
  }

  #takeEffect(fact: ConvergenceFact): void {
    const { name, at, isInEffect } = fact;
    if (name === null || !this.#target.isNamed(fact)) return;
    const hasContent = this.#target.hasContent(fact);
    this.#hasContent.set(name, hasContent);
    if (hasContent && isInEffect && !this.#effective.has(name)) this.#effective.set(name, at);
  }

  /** A version without changed resources has the content that the client had already. */
  get #inEffectAt(): EpochMs | undefined {
    const accepted = this.#accepted,
      sent = this.#sent,
      sentNames = this.#sentNames,
      effective = this.#effective;
    if (sent !== undefined && sentNames.size === 0 && accepted !== undefined) return accepted.at;
    // If no response to the client was observed, all resources count that the client reports of the target.
    const names = sentNames.size > 0 ? sentNames : this.#hasContent.keys();
    const isWhole = effective.size > 0 && [...names].every((name) => effective.has(name));
    return isWhole ? Math.max(...effective.values()) : undefined;
  }

  /** Returns true if the client reports its own rendering of a resource that has versions. */
  #isRendering(fact: ConvergenceFact): boolean {
    return isOwnRendering(fact) && fact.name !== null && this.#context.versionedNames.has(fact.name);
  }

  get #isResource(): boolean {
    return this.#target.hash !== null;
  }

  /** A version carries resources to new clients that others have had for long. */
  get #hasAllContents(): boolean {
    return this.#hasContent.size > 0 && [...this.#hasContent.values()].every((has) => has);
  }

  get #hasOwnContents(): boolean {
    const isOwn = (name: string) => this.#context.splitNames.has(name) || !this.#comparableNames.has(name);
    return this.#heldNames.size > 0 && [...this.#heldNames].every(isOwn);
  }

  /** A row with the version of the target may be reported before the answer. A delta ACK has neither version nor hash. */
  #isBefore(fact: ConvergenceFact): boolean {
    const { name, version, hash } = fact;
    if ((version === '' && hash === null) || this.#isRendering(fact)) return false;
    return version !== this.#target.version && (name === null || this.#target.isNamed(fact));
  }

  /** A poll that began before the target can report a push that replaced it, as one that restores the content before. */
  #hasLaterVersion(fact: ConvergenceFact): boolean {
    return this.#context.laterVersions.has(fact.version) && this.#target.isNamed(fact);
  }

  /** Delta ACKs contain no version, but a nonce. For a resource only facts about the resource count. */
  #isAnswer({ nonceKey, name }: ConvergenceFact): boolean {
    return !this.#isResource && name === null && nonceKey !== null && this.#ownNonces.has(nonceKey);
  }

  /** The order of responses decides, if they were observed: an earlier response may be answered late. */
  #isNewer(fact: ConvergenceFact): boolean {
    const { nonceKey, name, version } = fact;
    if (this.#isResource || nonceKey === null)
      return this.#target.isNewer(fact) || this.#hasLaterVersion(fact);
    if (!this.#laterNonces.has(nonceKey)) return false;
    // In state of the world a later version replaces the target. In delta it may be about other resources.
    return name === null ? version !== '' : this.#target.isNewer(fact);
  }
}

/** Describes an outcome. `until` is the end of the known facts. */
export function describeOutcome(outcome: ClientOutcome, until: EpochMs): string {
  const { kind, at, sentAt, before, text, recoveredAt } = outcome;
  const held =
    before === undefined
      ? ''
      : `, still on ${versionText(before.version)} since ${formatIsoTime(before.since)}`;
  switch (kind) {
    case 'accepted':
      return outcome.earliestAt === at ? 'ACKED' : 'ACKED, as a poll reported later';
    case 'rejected':
      return recoveredAt === undefined
        ? `NACKED${held}`
        : `NACKED, later ACKED at ${formatIsoTime(recoveredAt)}`;
    case 'silent':
      return `silent${at === undefined ? '' : ` for ${formatDuration(Math.max(0, until - at))}`}: ${text}${held}`;
    case 'behind':
      return sentAt === undefined ? `not known to be sent to it${held}` : `sent, without an answer${held}`;
    case 'unclear':
      return 'in a response that was accepted in part; it is unknown whether this resource was';
    case 'missing':
      return 'reports that it does not exist';
    case 'passed-over':
      return 'ACKED a newer version without it';
    case 'already':
      return 'had the same content before';
    case 'different':
      return 'has content of its own: whether the push concerns it is not known';
    case 'joined-later':
      return 'joined later';
    case 'left':
      return 'unsubscribed';
  }
}

function versionText(version: string): string {
  return version === '' ? 'a version without a name' : `version ${version}`;
}
