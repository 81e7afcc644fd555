import type { ResourceState } from '../../observation/resource-state';
import { isAnswer, stateOf } from '../../observation/state-of';
import { isProcessDocument } from '../../xds/process-document';
import { type ConfigStatus, type State, stateRank } from '../../xds/status';
import type { EpochMs } from '../../xds/units';

interface Report {
  readonly resources: ReadonlyMap<string, ResourceState>;
}

/** The reports of ChosenReports. */
export interface ResourceReports {
  readonly own: Report | undefined;
  readonly answers: Report | undefined;
  readonly answersEndedAt: EpochMs | null;
  readonly theirs: Report | undefined;
}

/** One resource of a client by all chosen reports. */
export interface ClientResource {
  /** The client's state, or the control plane's if the client does not report the resource. */
  readonly state: ResourceState;
  /** Null for a document that a process reports about itself. */
  readonly shown: State | null;
  readonly isOwn: boolean;
  readonly configStatus: ConfigStatus;
  readonly own: ResourceState | undefined;
  readonly answered: ResourceState | undefined;
  readonly their: ResourceState | undefined;
}

/** Returns undefined if no report has the resource. Literals without spreads: it is called for each of 100,000 rows. */
export function findResource(
  { own, answers, answersEndedAt, theirs }: ResourceReports,
  key: string,
): ClientResource | undefined {
  const isTapped = answers !== undefined && answersEndedAt === null;
  const ofOwn = findOwn(own?.resources.get(key), isTapped);
  const ofTap = findAnswered(answers?.resources.get(key), ofOwn, answersEndedAt);
  const their = theirs?.resources.get(key);
  const reported = ofOwn ?? ofTap;
  if (reported === undefined) {
    if (their === undefined) return undefined;
    const { configStatus } = their;
    return {
      state: their,
      shown: 'UNKNOWN',
      isOwn: false,
      configStatus,
      own: undefined,
      answered: undefined,
      their,
    };
  }
  const isInBoth = ofOwn !== undefined && ofTap !== undefined;
  return {
    state: isInBoth ? combine(ofOwn, ofTap) : reported,
    shown: isProcessDocument(reported.typeUrl) ? null : stateOf(reported, isInBoth ? ofTap : undefined),
    isOwn: true,
    configStatus: their?.configStatus ?? reported.configStatus,
    own: ofOwn,
    answered: ofTap,
    their,
  };
}

/** A tap knows the rejected resources, of which statistics of Envoy count no more than the type. */
function findOwn(own: ResourceState | undefined, isTapped: boolean): ResourceState | undefined {
  return isTapped && own?.name === '' && own.errorState?.statistic !== undefined ? undefined : own;
}

/**
 * Once the streams through the tap have ended, the client may get its config from elsewhere. An answer then counts until
 * the admin interface reports a change of the resource, or that an accepted one is no longer there.
 */
function findAnswered(
  answered: ResourceState | undefined,
  own: ResourceState | undefined,
  endedAt: EpochMs | null,
): ResourceState | undefined {
  if (answered === undefined || endedAt === null) return answered;
  const isCurrent = own === undefined ? answered.clientStatus !== 'ACKED' : own.changedAt <= endedAt;
  return isCurrent ? answered : undefined;
}

/** The keys of all resources that a report has, each once. */
export function* keysOf({ own, answers, theirs }: ResourceReports): Generator<string> {
  yield* own?.resources.keys() ?? [];
  for (const key of answers?.resources.keys() ?? []) if (own?.resources.has(key) !== true) yield key;
  for (const key of theirs?.resources.keys() ?? []) {
    if (own?.resources.has(key) !== true && answers?.resources.has(key) !== true) yield key;
  }
}

/** The admin interface reports what is in effect of a response that was rejected in part. */
function asKnown(error: ResourceState['errorState']): ResourceState['errorState'] {
  if (error?.mayBeInEffect === undefined) return error;
  const { mayBeInEffect: _, ...known } = error;
  return known;
}

/** What is in effect by the admin interface, with the answer that a tap recorded. */
function combine(own: ResourceState, answered: ResourceState): ResourceState {
  const isOwnWorse = !isAnswer(own) && stateRank(own.clientStatus) < stateRank(answered.clientStatus);
  const { clientStatus, versionInfo, unanswered } = answered;
  return {
    ...own,
    clientStatus: isOwnWorse && !own.isStatic ? own.clientStatus : clientStatus,
    versionInfo: clientStatus === 'ACKED' && versionInfo !== '' ? versionInfo : own.versionInfo,
    errorState: asKnown(answered.errorState) ?? (isAnswer(own) ? null : own.errorState),
    ...(unanswered && { unanswered }),
    changedAt: Math.max(own.changedAt, answered.changedAt),
  };
}
