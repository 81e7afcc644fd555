import { isRicherText } from '../../nacks/error-text';
import { parseNackText } from '../../nacks/parse-nack-text';
import { ackedVersionOf, contentVersionOf } from '../../observation/acked-version';
import { resourceKey } from '../../observation/client-state';
import { combinedState, isAnswer } from '../../observation/combined-state';
import { isAckOfRejected } from '../../observation/effect-stage';
import type { ErrorState, HeldVersion, ResourceState, TypeVersion } from '../../observation/resource-state';
import { isWholeType } from '../../observation/whole-type';
import { isProcessDocument } from '../../xds/process-document';
import { CDS, EDS, LDS, RDS, SDS } from '../../xds/resource-type';
import { type ConfigStatus, type State, stateRank, worstState } from '../../xds/status';
import type { EpochMs } from '../../xds/units';

interface Report {
  readonly typeVersions?: readonly TypeVersion[];
  readonly resources: ReadonlyMap<string, ResourceState>;
}

const noReport: Pick<Report, 'typeVersions'> = {};

/** The reports of ChosenReports. */
export interface ResourceReports<R extends Report = Report> {
  readonly clientReport: R | undefined;
  readonly answers: R | undefined;
  readonly reportsAnswers: boolean;
  readonly otherTaps: readonly { readonly report: R; readonly hiddenTypes: ReadonlySet<string> }[];
  readonly answersEndedAt: EpochMs | null;
  readonly controlPlaneReport: R | undefined;
  readonly controlPlaneEndedAt: EpochMs | null;
}

/** One resource of a client by all chosen reports. */
export interface ClientResource<R extends Report = Report> {
  /** The client's state, or the control plane's if the client does not report the resource. */
  readonly state: ResourceState;
  /** Null for a document that a process reports about itself. */
  readonly shown: State | null;
  /** The version that the client ACKed last, as far as it is known. */
  readonly version: string;
  /** The version with which the content came, as far as it is known. */
  readonly contentVersion: string;
  readonly isOwn: boolean;
  /** The report that `state` is of, and the one with the answer. */
  readonly reporter: R | undefined;
  readonly answering: R | undefined;
  readonly configStatus: ConfigStatus;
  readonly own: ResourceState | undefined;
  readonly answered: ResourceState | undefined;
  readonly their: ResourceState | undefined;
  /** The answer that the control plane reports of the whole type; absent: none, or a tap has recorded the answer. */
  readonly typeAnswer?: 'ACKED' | 'NACKED' | undefined;
}

/** Returns undefined if no report has the resource. Literals without spreads: it is called for each of 100,000 rows. */
export function findResource<R extends Report>(
  reports: ResourceReports<R>,
  key: string,
): ClientResource<R> | undefined {
  const { clientReport: chosen, answers: chosenTap, reportsAnswers } = reports;
  const { otherTaps, answersEndedAt, controlPlaneReport, controlPlaneEndedAt } = reports;
  const isTapped = chosenTap !== undefined && answersEndedAt === null;
  const own = chosenTap === undefined ? findTap(chosen, otherTaps, key) : chosen;
  const answers = chosenTap && findTap(chosenTap, otherTaps, key);
  const ofOwn = findOwn(own?.resources.get(key), isTapped);
  const ofAnswers = answers?.resources.get(key);
  const ofTap = reportsAnswers
    ? findUnreported(ofAnswers, ofOwn, isTapped)
    : withProof(findAnswered(ofAnswers, ofOwn, answersEndedAt), ofOwn);
  const their = findTheir(controlPlaneReport, key);
  const reported = ofOwn ?? ofTap;
  if (reported === undefined) {
    if (their === undefined) return undefined;
    const { configStatus } = their;
    return {
      state: their,
      shown: 'UNKNOWN',
      version: ackedVersionOf(their, controlPlaneReport ?? noReport),
      contentVersion: contentVersionOf(their),
      isOwn: false,
      reporter: controlPlaneReport,
      answering: controlPlaneReport,
      configStatus,
      own: undefined,
      answered: undefined,
      their,
    };
  }
  const isInBoth = ofOwn !== undefined && ofTap !== undefined;
  // The admin interface may report another version for content that did not change, or none.
  const isOfTap = ofOwn === undefined || (ofTap?.clientStatus === 'ACKED' && ofTap.versionInfo !== '');
  const versioned = isOfTap ? (ofTap ?? reported) : ofOwn;
  // The last report of a control plane that no longer reports the client is not an answer to a later response.
  const isReportedNow = controlPlaneEndedAt === null || reported.changedAt <= controlPlaneEndedAt;
  const answerOfType =
    controlPlaneReport === undefined || !isReportedNow
      ? undefined
      : findTypeAnswer(reported, findWholeType(controlPlaneReport, reported.typeUrl));
  const typeAnswer = ofTap === undefined ? answerOfType : undefined;
  const state = combinedState(reported, isInBoth ? ofTap : undefined);
  return {
    state: isInBoth ? (reportsAnswers ? withAnswered(ofOwn, ofTap) : combine(ofOwn, ofTap)) : reported,
    shown: isProcessDocument(reported.typeUrl) ? null : withAnswer(state, typeAnswer),
    version:
      versioned.typeUrl === CDS.typeUrl && isAckOfRejected(versioned)
        ? (findActive(versioned)?.versionInfo ?? '')
        : ackedVersionOf(versioned, (isOfTap ? answers : own) ?? noReport),
    contentVersion: contentVersionOf(versioned),
    isOwn: true,
    reporter: ofOwn === undefined ? answers : own,
    answering: ofTap === undefined ? own : answers,
    configStatus: configStatusOf(their?.configStatus ?? reported.configStatus, answerOfType),
    own: ofOwn,
    answered: ofTap,
    their,
    typeAnswer,
  };
}

/** ACKs of payloads that were rejected before, without the rejection. */
const proved = new WeakMap<ResourceState, ResourceState>();

/**
 * An ACK of a payload that was rejected before, if the admin interface reports the payload as active. Envoy lists a rejected secret as
 * active, so that this proves nothing of one.
 */
function withProof(
  answered: ResourceState | undefined,
  own: ResourceState | undefined,
): ResourceState | undefined {
  if (answered === undefined || own?.stage !== 'active' || !isAckOfRejected(answered)) return answered;
  if (answered.typeUrl === SDS.typeUrl) return answered;
  if (own.hash !== answered.hash && own.versionInfo !== answered.versionInfo) return answered;
  const known = proved.get(answered);
  if (known !== undefined) return known;
  const { otherVersions: _, ...rest } = answered;
  const accepted: ResourceState = { ...rest, errorState: null };
  proved.set(answered, accepted);
  return accepted;
}

function findActive({ otherVersions }: ResourceState): HeldVersion | undefined {
  return otherVersions?.find(({ stage }) => stage === 'active');
}

/** ACTIVE is the state of a resource whose answer is not known. */
function withAnswer(state: State, answer: 'ACKED' | 'NACKED' | undefined): State {
  if (answer === undefined) return state;
  return state === 'ACTIVE' ? answer : (worstState([state, answer]) ?? state);
}

/** A control plane that reports the status of whole types reports none of each resource. */
function configStatusOf(status: ConfigStatus, ofType: 'ACKED' | 'NACKED' | undefined): ConfigStatus {
  if (status !== 'UNKNOWN' || ofType === undefined) return status;
  return ofType === 'ACKED' ? 'SYNCED' : 'ERROR';
}

function findTheir(controlPlaneReport: Report | undefined, key: string): ResourceState | undefined {
  const found = controlPlaneReport?.resources.get(key);
  return found === undefined || isWholeType(found) ? undefined : found;
}

/** Returns the control plane's report of a whole type. */
function findWholeType({ resources }: Report, typeUrl: string): ResourceState | undefined {
  const found = resources.get(resourceKey({ typeUrl, name: '' }));
  return found !== undefined && isWholeType(found) ? found : undefined;
}

/** A tap observes the rejected resources; the statistics of Envoy count them by type only. */
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
  if (answered === undefined || (own !== undefined && isNotRecorded(answered))) return undefined;
  if (endedAt === null) return answered;
  const isCurrent = own === undefined ? answered.clientStatus !== 'ACKED' : own.changedAt <= endedAt;
  return isCurrent ? answered : undefined;
}

/** Returns true if a tap has missed the answer, so that another source is the only evidence. */
function isNotRecorded({ clientStatus, doubt }: ResourceState): boolean {
  return clientStatus === 'UNKNOWN' && doubt === 'not-recorded';
}

/**
 * Returns the state that CSDS does not report: a response that the client has not answered, or the NACK of a payload
 * whose name the client could not read. A client that runs the payload has not rejected it.
 */
function findUnreported(
  answered: ResourceState | undefined,
  own: ResourceState | undefined,
  isTapped: boolean,
): ResourceState | undefined {
  if (!isTapped || own === undefined || answered === undefined) return undefined;
  if (answered.unanswered !== undefined) return answered;
  const failedHash = answered.errorState?.failedHash ?? null;
  const isRejected = answered.clientStatus === 'NACKED' && (failedHash === null || failedHash !== own.hash);
  const isReported = own.clientStatus !== 'ACKED' && own.clientStatus !== 'DOES_NOT_EXIST';
  return isRejected && !isReported ? answered : undefined;
}

function withAnswered(own: ResourceState, answered: ResourceState): ResourceState {
  const { unanswered, clientStatus, errorState } = answered;
  const changedAt = Math.max(own.changedAt, answered.changedAt);
  if (unanswered !== undefined) return { ...own, unanswered, changedAt };
  // A deleted resource stays deleted, whatever the client answered.
  if (own.clientStatus === 'DOES_NOT_EXIST') return { ...own, changedAt };
  return { ...own, clientStatus, errorState, changedAt };
}

/** The report of the tap through which the client got the resource last. */
function findTap<R extends Report>(
  chosen: R | undefined,
  otherTaps: ResourceReports<R>['otherTaps'],
  key: string,
): R | undefined {
  if (otherTaps.length === 0) return chosen;
  let found = chosen;
  for (const { report, hiddenTypes } of otherTaps) {
    const state = report.resources.get(key);
    if (state === undefined || hiddenTypes.has(state.typeUrl)) continue;
    const known = found?.resources.get(key);
    if (known === undefined || isNewer(state, known)) found = report;
  }
  return found;
}

/** A client that has requested a resource from another server runs what it has until this server answers. */
function isNewer(state: ResourceState, than: ResourceState): boolean {
  const isAnswered = hasAnswer(state);
  return isAnswered === hasAnswer(than) ? state.changedAt > than.changedAt : isAnswered;
}

function hasAnswer({ clientStatus, hash }: ResourceState): boolean {
  return hash !== null || (clientStatus !== 'REQUESTED' && clientStatus !== 'UNKNOWN');
}

/** The key of each resource of a report, once, and those of whole types, which findResource() does not find. */
export function* keysOf(reports: ResourceReports): Generator<string> {
  if (reports.otherTaps.length > 0) {
    yield* allKeysOf(reports);
    return;
  }
  const { clientReport, answers, controlPlaneReport } = reports;
  yield* clientReport?.resources.keys() ?? [];
  for (const key of answers?.resources.keys() ?? []) if (clientReport?.resources.has(key) !== true) yield key;
  for (const key of controlPlaneReport?.resources.keys() ?? []) {
    if (clientReport?.resources.has(key) !== true && answers?.resources.has(key) !== true) yield key;
  }
}

function* allKeysOf({
  clientReport,
  answers,
  otherTaps,
  controlPlaneReport,
}: ResourceReports): Generator<string> {
  const keys = new Set(
    [clientReport, answers, controlPlaneReport].flatMap((report) => [...(report?.resources.keys() ?? [])]),
  );
  for (const { report, hiddenTypes } of otherTaps) {
    for (const [key, { typeUrl }] of report.resources) if (!hiddenTypes.has(typeUrl)) keys.add(key);
  }
  yield* keys;
}

/** The admin interface reports what is in effect of a response that was rejected in part. */
function asKnown(error: ResourceState['errorState']): ResourceState['errorState'] {
  if (error?.mayBeInEffect === undefined) return error;
  const { mayBeInEffect: _, ...known } = error;
  return known;
}

/**
 * The state with the content in effect. Envoy writes endpoints in its dump from what it holds of them, with values that were
 * never sent: the payload that it ACKed is what it runs.
 */
export function effectiveOf(own: ResourceState, answered: ResourceState | undefined): ResourceState {
  const isDumpOfEndpoints = own.typeUrl === EDS.typeUrl && own.stage !== undefined;
  const isSent = answered?.clientStatus === 'ACKED' && answered.hash !== null;
  return isDumpOfEndpoints && isSent ? answered : own;
}

/** Combines the state in effect that the admin interface reports with the answer that a tap recorded. */
function combine(own: ResourceState, answered: ResourceState): ResourceState {
  const isOwnWorse = !isAnswer(own) && stateRank(own.clientStatus) < stateRank(answered.clientStatus);
  const { clientStatus, unanswered } = answered;
  const { hash, sizeBytes } = effectiveOf(own, answered);
  return {
    ...own,
    ...{ hash, sizeBytes },
    clientStatus: isOwnWorse && !own.isStatic ? own.clientStatus : clientStatus,
    errorState: errorOf(own, answered),
    ...(unanswered && { unanswered }),
    changedAt: Math.max(own.changedAt, answered.changedAt),
  };
}

/** The answer has the error of the newest response; the admin interface may report its text where the tap has to infer it. */
function errorOf(own: ResourceState, { clientStatus, errorState }: ResourceState): ErrorState | null {
  const error = asKnown(errorState);
  if (error === null) return isAnswer(own) ? null : own.errorState;
  const details = own.errorState?.details ?? '';
  return clientStatus === 'NACKED' && isRicherText(details, error.details) ? { ...error, details } : error;
}

/** Types that istiod alone delivers: pilot-agent has certificates of its own. */
const delivered: ReadonlySet<string> = new Set([LDS, RDS, CDS, EDS].map(({ typeUrl }) => typeUrl));

/** Envoy rejects clusters and listeners one by one, and applies the others of the response. */
const isOfParts = /^Error adding\/updating (cluster|listener)\(s\) /;

/**
 * The answer to the newest response that carried a resource, which follows from what a control plane reports of the whole
 * type: istiod reports whether the client has ACKED or NACKED the newest response of the type. `own`: the resource as Envoy's
 * admin interface reports it, which shows that it was delivered, and reports no answer. Undefined: it does not follow.
 */
function findTypeAnswer(own: ResourceState, type: ResourceState | undefined): 'ACKED' | 'NACKED' | undefined {
  if (type === undefined || own.stage === undefined || own.isStatic) return undefined;
  if (!delivered.has(own.typeUrl)) return undefined;
  if (type.configStatus === 'SYNCED') return 'ACKED';
  if (type.configStatus !== 'ERROR') return undefined;
  if (namesIn(type).has(own.name)) return 'NACKED';
  return isOfParts.test(type.errorState?.details ?? '') ? 'ACKED' : undefined;
}

const read = new WeakMap<ResourceState, ReadonlySet<string>>();

/** The resources that the text of the NACK names. */
function namesIn(type: ResourceState): ReadonlySet<string> {
  const known = read.get(type);
  if (known !== undefined) return known;
  const text = type.errorState?.details ?? '';
  const names = new Set(parseNackText(text).flatMap(({ resourceName = [] }) => resourceName));
  read.set(type, names);
  return names;
}
