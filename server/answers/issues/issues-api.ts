import { by, byDescending, inTurn } from '@/lib/collections/compare';
import type { Steps } from '@/lib/cooperative/steps';
import { formatIsoTime } from '@/lib/format/iso-time';
import { rankOfImpact } from '@/lib/issues/client-impact';
import { describeImpact, severities } from '@/lib/issues/describe-impact';
import { findIssueAt, type IssueAt } from '@/lib/issues/issue-at';
import type { IssueRecord } from '@/lib/issues/issue-record';
import { mergeIssues } from '@/lib/issues/merge-issues';
import { mutedSubjects } from '@/lib/issues/muted-subjects';
import { removeExplained } from '@/lib/issues/remove-explained';
import type { ServerNames } from '@/lib/issues/server-names';
import { buildFleetStrip } from '@/lib/views/issues/build-fleet-strip';
import { addErrors, findExplanation, mayExplain } from '@/lib/views/issues/explain-errors';
import type {
  FleetStrip,
  FleetStripQuery,
  Issue,
  IssuePage,
  IssuesQuery,
  MutableIssue,
} from '@/lib/views/issues/schema';
import type { EpochMs } from '@/lib/xds/units';
import { badRequest, notFound } from '../../api-error';
import { findUnavailable } from '../../live/issues/find-unavailable';
import type { IssueStore } from '../../live/issues/issue-store';
import type { Mutes } from '../../live/issues/mutes';
import type { LiveState } from '../../live/live-state';
import type { Clock } from '../../observe';
import type { Recorder } from '../../store/recorder/recorder';
import { takeSteps } from '../../workers/threads/take-steps';
import { assertRange } from '../parse-input';
import type { CertificateChecks } from './certificate-checks';
import { type OpenIssue, openIssues } from './client-issues';
import type { ConfigChecks } from './config-checks';
import { type Assessed, IssueBuilder, type IssueBuilderParts } from './issue-builder';
import type { OwnIssues } from './own-issues';
import type { TapOutages } from './tap-outages';

export interface IssuesApiParts extends IssueBuilderParts {
  readonly clock: Pick<Clock, 'now'>;
  readonly recorder: Pick<Recorder, 'stats'>;
  readonly issues: IssueStore;
  readonly mutes: Mutes;
  readonly own: Pick<OwnIssues, 'find'>;
  readonly checks: Pick<ConfigChecks, 'findAt' | 'records' | 'isJudged' | 'progress'>;
  readonly certificates: Pick<CertificateChecks, 'findAt' | 'records'>;
  readonly taps: Pick<TapOutages, 'find' | 'records'>;
  readonly serverNames: ServerNames;
  /** True if the client is that of a run of the interop tests, whose cases provoke what it has. */
  readonly isOfRun: (clientId: string) => boolean;
  /** Returns the time of a moment of the URL. */
  readonly findTime: (moment: string) => Promise<EpochMs>;
}

const clientsInList = 20;
const clientsInDetail = 1_000;
const recordsPerStep = 64;
const usualStripMs = 3_600_000;

interface Wanted {
  /** Only issues of this client. */
  readonly client?: string | undefined;
  /** As in the URL; undefined: the present. */
  readonly moment?: string | undefined;
  /** Takes what the latest checks found, in place of checks of the moment, which read the config of each client then. */
  readonly isOfLatestChecks?: boolean;
  /** With issues that only clients of interop runs have, as always for one client. */
  readonly includesRuns?: boolean;
}

/** All issues until a moment; failed requests that another issue explains are in `errors` by its id, and not in `own`. */
interface FoundIssues {
  /** What sources report of clients, with the periods that have ended. */
  readonly reported: readonly IssueRecord[];
  readonly found: readonly IssueAt[];
  readonly own: readonly MutableIssue[];
  readonly errors: ReadonlyMap<string, readonly Issue[]>;
}

export class IssuesApi {
  readonly #parts: IssuesApiParts;
  readonly #builder: IssueBuilder;

  constructor(parts: IssuesApiParts) {
    this.#parts = parts;
    this.#builder = new IssueBuilder(parts);
  }

  async list(query: IssuesQuery, signal?: AbortSignal): Promise<IssuePage> {
    const { issues, checks } = this.#parts;
    const at = await this.#timeOf(query.at);
    const asked = { client: query.client, moment: query.at };
    const { found, own, errors } = await this.#findAll(asked, at, signal);
    const wanted = found.filter((each) => this.#isWanted(mutedSubjects(each), each.resolvedAt, query, at));
    const wantedOwn = own
      .filter(({ issue, subjects }) => this.#isWanted(subjects, issue.resolvedAt, query, at))
      .map(({ issue }) => issue);
    const candidates = rank(await this.#builder.assess(wanted, query.at, signal)).slice(0, query.limit);
    const built = await Promise.all(
      candidates.map((each) => this.#builder.build(each, at, clientsInList, signal)),
    );
    const measured = built.map((issue) => addErrors(issue, errors.get(issue.id) ?? []));
    const items = [...measured, ...wantedOwn].sort(compareIssues).slice(0, query.limit);
    return {
      items,
      total: wanted.length + wantedOwn.length,
      counts: this.#count({ found, own }, at),
      at,
      restoring: issues.isRestoring,
      since: this.#knownSince(),
      checks: checks.progress,
    };
  }

  /** Returns the open issues, unless they are muted, each with the clients that have it. */
  async findOpen(): Promise<OpenIssue[]> {
    const at = this.#parts.clock.now();
    const { found, own } = await this.#findAll({ includesRuns: true }, at, undefined);
    const isOpen = (subjects: readonly string[], resolvedAt: EpochMs | undefined) =>
      this.#isWanted(subjects, resolvedAt, { state: 'open' }, at);
    return openIssues(
      found.filter((each) => isOpen(mutedSubjects(each), each.resolvedAt)),
      own.filter(({ issue, subjects }) => isOpen(subjects, issue.resolvedAt)).map(({ issue }) => issue),
    );
  }

  /**
   * Finds every issue until a moment, whatever its state. The list of issues, the strip, the clients, the metrics and the alerts are
   * parts of this list.
   */
  async #findAll(wanted: Wanted, at: EpochMs, signal: AbortSignal | undefined): Promise<FoundIssues> {
    const { client, moment } = wanted;
    const { includesRuns = client !== undefined } = wanted;
    const reported = await this.#reported();
    const [allFound, allOwn] = await Promise.all([
      this.#find(wanted, reported, at, signal),
      this.#parts.own.find({ client, at: moment }, at, signal),
    ]);
    const isLeftOut = (clients: readonly { readonly clientId: string }[]): boolean =>
      !includesRuns && clients.length > 0 && clients.every((each) => this.#parts.isOfRun(each.clientId));
    const found = allFound.filter(({ periods }) => !isLeftOut(periods));
    const own = allOwn.filter(({ issue }) => !isLeftOut(issue.clients.items));
    const explaining = found.filter((each) => own.some((some) => mayExplain(each, some)));
    const errors = explainErrors(await this.#builder.assess(explaining, moment, signal), own);
    // A server that clients do not reach is the same issue as one that a tap does not reach.
    const ofClients = found
      .filter(({ resolvedAt }) => resolvedAt === undefined)
      .map(({ record }) => record.id);
    const stated = new Set([
      ...[...errors.values()].flatMap((some) => some.map(({ id }) => id)),
      ...ofClients,
    ]);
    return { reported, found, own: own.filter(({ issue }) => !stated.has(issue.id)), errors };
  }

  #count({ found, own }: Pick<FoundIssues, 'found' | 'own'>, at: EpochMs): IssuePage['counts'] {
    const lasting = [
      ...found.filter(({ resolvedAt }) => resolvedAt === undefined).map(mutedSubjects),
      ...own.filter(({ issue }) => issue.resolvedAt === undefined).map(({ subjects }) => subjects),
    ];
    const muted = lasting.filter((subjects) => this.#parts.mutes.find(subjects, at) !== undefined).length;
    return { open: lasting.length - muted, muted };
  }

  async find(issueId: string, at: string | undefined, signal?: AbortSignal): Promise<Issue> {
    const time = await this.#timeOf(at);
    const found = await this.#findOne(issueId, at, time, signal);
    const own = await this.#parts.own.find({ at }, time, signal);
    if (found === undefined) {
      const known = own.find(({ issue }) => issue.id === issueId);
      if (known === undefined) throw missingIssue(issueId);
      return known.issue;
    }
    const [assessed] = await this.#builder.assess([found], at, signal);
    if (assessed === undefined) throw missingIssue(issueId);
    const issue = await this.#builder.build(assessed, time, clientsInDetail, signal);
    return addErrors(issue, explainErrors([assessed], own).get(issueId) ?? []);
  }

  async #findChecked(
    { moment, isOfLatestChecks = moment === undefined }: Wanted,
    at: EpochMs,
    signal: AbortSignal | undefined,
  ): Promise<readonly IssueAt[]> {
    if (isOfLatestChecks)
      return (await this.#checkedRecords()).flatMap((each) => findIssueAt(each, at) ?? []);
    if (moment === undefined) throw new Error('expected a moment');
    const { checks, certificates } = this.#parts;
    try {
      const found = await Promise.all([
        checks.findAt(moment, at, signal),
        certificates.findAt(moment, at, signal),
      ]);
      return found.flat();
    } catch (error) {
      if (findUnavailable(error) === undefined) throw error;
      return [];
    }
  }

  /** The issues that sources report of clients, those of a server under one name, whichever a source has for it. */
  #reported(): Promise<IssueRecord[]> {
    const { live, issues, serverNames } = this.#parts;
    return takeSteps(renameAll(live.world, issues.index.records.values(), serverNames));
  }

  async #checkedRecords(): Promise<IssueRecord[]> {
    const { clock, checks, certificates } = this.#parts;
    try {
      return [...checks.records(), ...(await certificates.records(clock.now()))];
    } catch (error) {
      if (findUnavailable(error) === undefined) throw error;
      return checks.records();
    }
  }

  async strip({ from, to }: FleetStripQuery, signal?: AbortSignal): Promise<FleetStrip> {
    const { clock, live, recorder, checks } = this.#parts;
    const end = to ?? clock.now();
    const requested = from ?? end - usualStripMs;
    assertRange(requested, end, 'a time before to');
    // The axis spans what is recorded.
    const begin = Math.max(requested, Math.min(recorder.stats().oldestAt ?? requested, end - 1));
    const moment = to === undefined ? undefined : formatIsoTime(to);
    const { reported, found, own } = await this.#findAll({ moment, isOfLatestChecks: true }, end, signal);
    const isOfClients = ({ issue }: MutableIssue): boolean => issue.clients.total > 0;
    const ofNoClient = own.filter((each) => !isOfClients(each) && each.issue.resolvedAt === undefined);
    const strip = await takeSteps(
      buildFleetStrip({
        records: [...reported, ...(await this.#checkedRecords()), ...this.#parts.taps.records(end)],
        isLeftOut: this.#parts.isOfRun,
        open: found.filter(({ resolvedAt }) => resolvedAt === undefined),
        ofRequests: own.filter(isOfClients).map(({ issue }) => issue),
        ...{ from: begin, to: end, clients: live.world },
        isJudged: (clientId) => checks.isJudged(clientId),
        nodeIdOf: (clientId) => this.#builder.nodeIdOf(clientId),
      }),
    );
    const counts = { ...this.#count({ found, own }, end), withoutClients: ofNoClient.length };
    return { ...strip, counts, checks: checks.progress };
  }

  async mute(issueId: string, until: EpochMs | null): Promise<Issue> {
    const { issues, mutes, clock } = this.#parts;
    const now = clock.now();
    if (until !== null && until <= now) {
      throw badRequest(`until: expected a time in the future, got ${formatIsoTime(until)}`, 'until');
    }
    await mutes.set(await this.#subjectsOf(issueId, now), until, now);
    issues.changed();
    return this.find(issueId, undefined);
  }

  /** Throws if there is no such issue. */
  async #subjectsOf(issueId: string, now: EpochMs): Promise<readonly string[]> {
    const found = await this.#findOne(issueId, undefined, now, undefined);
    if (found !== undefined) return mutedSubjects(found);
    const own = await this.#parts.own.find({}, now);
    const known = own.find(({ issue }) => issue.id === issueId);
    if (known === undefined) throw missingIssue(issueId);
    return known.subjects;
  }

  async #findOne(
    issueId: string,
    moment: string | undefined,
    at: EpochMs,
    signal: AbortSignal | undefined,
  ): Promise<IssueAt | undefined> {
    const ofId = (await this.#reported()).filter(({ id }) => id === issueId);
    const reported = ofId.flatMap((record) => findIssueAt(record, at) ?? []);
    const ofTaps = this.#parts.taps.find(at).filter(({ record }) => record.id === issueId);
    const [merged] = mergeIssues([...reported, ...ofTaps]);
    if (ofId.length > 0 || merged !== undefined) return merged;
    return (await this.#findChecked({ moment }, at, signal)).find((each) => each.record.id === issueId);
  }

  async #timeOf(at: string | undefined): Promise<EpochMs> {
    return at === undefined ? this.#parts.clock.now() : this.#parts.findTime(at);
  }

  async #find(
    wanted: Wanted,
    records: readonly IssueRecord[],
    at: EpochMs,
    signal: AbortSignal | undefined,
  ): Promise<IssueAt[]> {
    const { taps } = this.#parts;
    const reported = await takeSteps(findAll(records, at));
    const checked = await this.#findChecked(wanted, at, signal);
    const found = removeExplained([...reported, ...checked, ...taps.find(at)], at);
    const { client } = wanted;
    if (client === undefined) return found;
    return found.filter(({ periods }) => periods.some(({ clientId }) => clientId === client));
  }

  #isWanted(
    subjects: readonly string[],
    resolvedAt: EpochMs | undefined,
    { state, from, to }: Pick<IssuesQuery, 'state' | 'from' | 'to'>,
    at: EpochMs,
  ): boolean {
    if (state === 'resolved') {
      return resolvedAt !== undefined && resolvedAt >= (from ?? 0) && resolvedAt <= (to ?? at);
    }
    if (resolvedAt !== undefined) return false;
    if (state === 'current') return true;
    return (this.#parts.mutes.find(subjects, at) !== undefined) === (state === 'muted');
  }

  #knownSince(): EpochMs | undefined {
    const { since, index } = this.#parts.issues;
    const times = [since, index.completeSince].filter((time) => time !== null);
    return times.length === 0 ? undefined : Math.max(...times);
  }
}

function* renameAll(
  world: LiveState['world'],
  records: Iterable<IssueRecord>,
  serverNames: ServerNames,
): Steps<IssueRecord[]> {
  let visited = 0;
  for (const { reports } of world.values()) {
    visited += 1;
    if (visited % recordsPerStep === 0) yield;
    for (const { vantage, connections } of reports.values())
      if (vantage === 'channelz' && connections !== undefined) serverNames.learn(connections);
  }
  const renamed: IssueRecord[] = [];
  for (const record of records) {
    visited += 1;
    if (visited % recordsPerStep === 0) yield;
    renamed.push(serverNames.rename(record));
  }
  return renamed;
}

function* findAll(records: Iterable<IssueRecord>, at: EpochMs): Steps<IssueAt[]> {
  const found: IssueAt[] = [];
  let visited = 0;
  for (const record of records) {
    visited += 1;
    if (visited % recordsPerStep === 0) yield;
    const each = findIssueAt(record, at);
    if (each !== undefined) found.push(each);
  }
  return found;
}

/** The failed requests that each issue explains, by its id. */
function explainErrors(
  assessed: readonly Assessed[],
  own: readonly MutableIssue[],
): ReadonlyMap<string, readonly Issue[]> {
  const all = assessed.map(({ found, clients }) => ({
    found,
    level: describeImpact(clients, found.periods.length).level,
  }));
  const explained = new Map<string, Issue[]>();
  for (const errors of own) {
    const id = findExplanation(errors, all);
    if (id !== undefined) explained.set(id, [...(explained.get(id) ?? []), errors.issue]);
  }
  return explained;
}

function rank(assessed: readonly Assessed[]): Assessed[] {
  const ranked = assessed.map((each) => {
    const { severity, level } = describeImpact(each.clients, each.found.periods.length);
    return { each, severity: severities.indexOf(severity), level: rankOfImpact(level) };
  });
  ranked.sort(
    inTurn(
      by(({ severity }) => severity),
      by(({ level }) => level),
      byDescending((each) => each.each.found.periods.length),
      by((each) => each.each.found.since),
      by((each) => each.each.found.record.id),
    ),
  );
  return ranked.map(({ each }) => each);
}

/** Sources that do not answer come after what is wrong with clients, whatever its severity. */
function compareIssues(a: Issue, b: Issue): number {
  return (
    Number(a.kind === 'source-down') - Number(b.kind === 'source-down') ||
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    rankOfImpact(a.impact.level) - rankOfImpact(b.impact.level) ||
    b.clients.total - a.clients.total ||
    (a.since ?? 0) - (b.since ?? 0) ||
    (a.id < b.id ? -1 : 1)
  );
}

function missingIssue(issueId: string): Error {
  return notFound('Issue', `no issue has the id ${JSON.stringify(issueId)}`);
}
