import { performance } from 'node:perf_hooks';
import { group } from 'd3';
import { by } from '@/lib/collections/compare';
import { groupConditions, recordConditions } from '@/lib/issues/group-conditions';
import type { IssueAt } from '@/lib/issues/issue-at';
import type { IssuePeriod, IssueRecord } from '@/lib/issues/issue-record';
import { issueKey } from '@/lib/issues/read-issue-causes';
import { floorTo, minuteMs } from '@/lib/load/plan-load-reading';
import type { ClientState } from '@/lib/observation/client-state';
import { isUnreported, newestEnd } from '@/lib/observation/unreported';
import { findOriginalVantage } from '@/lib/observation/vantage';
import { isImportedClient } from '@/lib/views/client/is-imported-client';
import { type Condition, readConditions } from '@/lib/views/issues/read-conditions';
import type { IssuePage } from '@/lib/views/issues/schema';
import type { Resolved } from '@/lib/views/resolved/schema';
import type { EpochMs } from '@/lib/xds/units';
import { ApiError } from '../../api-error';
import { findUnavailable } from '../../live/issues/find-unavailable';
import { issueIdOf } from '../../live/issues/issue-store';
import type { KnownConditions } from '../../live/issues/known-conditions';
import type { LiveState } from '../../live/live-state';
import { log } from '../../logger';
import type { Clock } from '../../observe';
import type { AskClient } from '../ask-client';
import type { ClientRef } from '../subjects/client-subjects';

interface ConfigChecksParts {
  readonly clock: Pick<Clock, 'now' | 'setTimeout'>;
  readonly live: Pick<LiveState, 'world' | 'revisionOf' | 'watch' | 'isGrowing'>;
  readonly askClient: AskClient;
  readonly known: KnownConditions;
}

interface Checked {
  readonly revision: number;
  readonly at: EpochMs;
  readonly conditions: readonly Condition[];
  readonly listeners: CheckedListeners;
  /** Set if the check failed. */
  readonly isFailed?: true;
}

interface CheckedRange {
  /** As in the URL; absent: the present. */
  readonly moment?: string;
  readonly from: EpochMs;
  readonly at: EpochMs;
  readonly revision: number;
  /** What an earlier check found. */
  readonly before?: CheckedListeners['byName'] | undefined;
}

interface CheckedListeners {
  readonly byName: ReadonlyMap<string, CheckedListener>;
  /** The listeners of the client that the check could not read in its time, and all that it has. */
  readonly unchecked: number;
  readonly total: number;
  /** True if the next check can read more of them. */
  readonly isContinued: boolean;
}

/** What a listener cannot serve, by the config of this revision. */
interface CheckedListener {
  readonly revision: number;
  readonly conditions: readonly Condition[];
}

const noListeners: CheckedListeners = { byName: new Map(), unchecked: 0, total: 0, isContinued: false };

/** What has ended is listed for so long, and so much of a client. */
const endedMs = 3_600_000;
const mostEnded = 100;
/** Config tears are read from so much of the log, and those that ended are listed for so long. */
const historyMs = 15 * minuteMs;
/** A client that changes all the time is checked so often, and the checks take at most a tenth of the time. */
const leastAgeMs = 10_000;
const shareOfTime = 0.1;
/** The first clients are checked without a pause, so that the issues of a small fleet are complete at once. */
const checkedAtOnce = 20;
const askedMs = 30_000;
/** What changes within this time is written together. */
const gatherMs = 5_000;
/** After a start, sources take so long until what a client runs is known again. */
const restoringMs = minuteMs;
/** Limits the clients that are checked for a moment of the past. */
const mostInPast = 20;
/** The time for the listeners of a client; the next check continues with those that are left. */
const listenersMs = 3_000;
/** Limits the failing clusters of a listener that are checked, and the clients that are named because of unchecked listeners. */
const clientsNamed = 20;
const mostClusters = 200;

/**
 * The issues of clients that follow from their config as a whole: config tears, findings and known bugs. Clients whose
 * config has changed are checked one after the other, as long as somebody asks.
 */
export class ConfigChecks {
  readonly #parts: ConfigChecksParts;
  readonly #checked = new Map<string, Checked>();
  /** The clients that have changed since their check, or whose check is to be continued; the first has waited longest. */
  readonly #due: Set<string>;
  /** Clients of files, which may be many, are checked after the others. */
  readonly #dueOfFiles = new Set<string>();
  #isRunning = false;
  #isWriteDue = false;
  readonly #restoringUntil: EpochMs;
  #askedAt: EpochMs = 0;

  constructor(parts: ConfigChecksParts) {
    this.#parts = parts;
    this.#restoringUntil = parts.clock.now() + restoringMs;
    this.#due = new Set(parts.live.world.keys());
    parts.live.watch((clientId) => this.#due.add(clientId));
  }

  /** What lasted before a restart, or before another process folded the fleet, is listed until its client is checked again. */
  #readKnown(): void {
    for (const [clientId, conditions] of group(this.#parts.known.read(), ({ period }) => period.clientId))
      if (!this.#checked.has(clientId))
        this.#checked.set(clientId, { revision: Number.NaN, at: 0, conditions, listeners: noListeners });
  }

  /** Returns what the latest checks found, with what has ended lately. */
  records(): IssueRecord[] {
    if (this.#askedAt === 0) this.#readKnown();
    this.#askedAt = this.#parts.clock.now();
    this.#endUnreported();
    this.#start();
    return recordConditions(this.#conditions(), issueIdOf);
  }

  *#conditions(): Generator<Condition> {
    for (const { conditions } of this.#checked.values()) yield* conditions;
  }

  /** True if the whole config of the client was checked, now or earlier. */
  isJudged(clientId: string): boolean {
    return this.#findCheck(clientId)?.listeners.unchecked === 0;
  }

  /** The latest check of a client since the start; undefined if there is none, or it failed. */
  #findCheck(clientId: string): Checked | undefined {
    const known = this.#checked.get(clientId);
    return known === undefined || Number.isNaN(known.revision) || known.isFailed ? undefined : known;
  }

  get progress(): IssuePage['checks'] {
    const { clock, live } = this.#parts;
    const reported = this.#reported();
    const checked = reported.flatMap((clientId) => {
      const known = this.#findCheck(clientId);
      return known === undefined ? [] : [[clientId, known] as const];
    });
    const partly = checked.filter(([, { listeners }]) => listeners.unchecked > 0);
    const outdated = checked.filter(([clientId, { revision }]) => revision !== live.revisionOf(clientId));
    const asOf = Math.min(clock.now(), ...outdated.map(([, { at }]) => at));
    return {
      ...{ checked: checked.length, total: reported.length },
      asOf: checked.length === 0 ? undefined : asOf,
      partly: {
        total: partly.length,
        items: partly.slice(0, clientsNamed).map(
          ([
            clientId,
            {
              listeners: { unchecked, total },
            },
          ]) => ({
            ...{ clientId, nodeId: live.world.get(clientId)?.node.id ?? clientId },
            ...{ unchecked, listeners: total },
          }),
        ),
      },
    };
  }

  /** `moment` is a moment as in the URL. */
  async findAt(moment: string, at: EpochMs, signal?: AbortSignal): Promise<readonly IssueAt[]> {
    const conditions: Condition[] = [];
    const clients = [...this.#parts.live.world.values()].filter((client) => !isProbed(client));
    const liveFirst = [...clients.filter((client) => !isOfFiles(client)), ...clients.filter(isOfFiles)];
    for (const { clientId } of liveFirst.slice(0, mostInPast)) {
      const readAt = this.#lastMomentOf(clientId, at);
      const range = { moment, from: readAt - historyMs, at: readAt, revision: 0 };
      const read = await this.#read(clientId, range, signal).catch(
        // The log reports nothing of this client until then.
        (error: unknown) =>
          error instanceof ApiError && error.status === 404 ? undefined : Promise.reject(error),
      );
      conditions.push(...(read?.found ?? []));
    }
    return groupConditions(conditions, { at, idOf: issueIdOf });
  }

  #start(): void {
    const isAsked = this.#parts.clock.now() - this.#askedAt < askedMs;
    const clientId = this.#isRunning || !isAsked ? undefined : this.#nextClient();
    if (clientId === undefined) return;
    this.#isRunning = true;
    const isAtOnce = !this.#checked.has(clientId) && this.#checked.size < checkedAtOnce;
    const startedAt = performance.now();
    this.#check(clientId)
      .catch((error: unknown) => this.#failed(clientId, error))
      .finally(() => {
        const pauseMs = isAtOnce ? 0 : (performance.now() - startedAt) / shareOfTime;
        this.#parts.clock.setTimeout(() => {
          this.#isRunning = false;
          this.#start();
        }, pauseMs);
      });
  }

  /** Returns the client that has waited longest, among those that are due. One that grows is due again when it is complete. */
  #nextClient(): string | undefined {
    const { clock, live } = this.#parts;
    const latest = clock.now() - leastAgeMs;
    for (const due of [this.#due, this.#dueOfFiles]) {
      for (const clientId of due) {
        const client = live.world.get(clientId);
        if (client === undefined || isUnreported(client) || isProbed(client) || live.isGrowing(clientId))
          due.delete(clientId);
        else if (due === this.#due && isOfFiles(client)) {
          due.delete(clientId);
          this.#dueOfFiles.add(clientId);
        } else if ((this.#checked.get(clientId)?.at ?? 0) <= latest) return clientId;
      }
    }
    return undefined;
  }

  /** What lasts of a client that no source reports any more ends with its reports; what has ended is listed for a time. */
  #endUnreported(): void {
    const { clock, live } = this.#parts;
    const now = clock.now();
    for (const [clientId, known] of this.#checked) {
      const client = live.world.get(clientId);
      // Sources report clients again for some time after a start.
      const isAwaited = Number.isNaN(known.revision) && now < this.#restoringUntil;
      if (isAwaited || (client !== undefined && !isUnreported(client))) continue;
      const end = client === undefined ? now : newestEnd(client);
      const conditions = known.conditions
        .map(({ cause, period }) => ({
          cause,
          period: period.to === undefined ? endOf(period, end) : period,
        }))
        .filter(({ period: { to = now } }) => to > now - endedMs);
      if (client === undefined && conditions.length === 0) this.#checked.delete(clientId);
      // A client of this id that is reported again, as by a file that is opened again, is not checked yet.
      else this.#checked.set(clientId, { conditions, listeners: noListeners, revision: Number.NaN, at: 0 });
    }
  }

  /** Keeps the conditions that were found before, and dates the check, so that the other clients are checked first. */
  #failed(clientId: string, error: unknown): void {
    const { clock, live } = this.#parts;
    const { conditions = [], listeners = noListeners } = this.#checked.get(clientId) ?? {};
    const dated = { revision: live.revisionOf(clientId), at: clock.now() };
    this.#checked.set(clientId, { ...dated, conditions, listeners, isFailed: true });
    if (findUnavailable(error) === undefined)
      log('error', 'issues', `the config of client ${clientId} was not checked: ${String(error)}`);
  }

  async #check(clientId: string): Promise<void> {
    const { clock, live } = this.#parts;
    this.#due.delete(clientId);
    this.#dueOfFiles.delete(clientId);
    const known = this.#checked.get(clientId);
    const [revision, at] = [live.revisionOf(clientId), clock.now()];
    const readAt = this.#lastMomentOf(clientId, at);
    // An issue that lasts keeps its onset, also if that is earlier than what is read.
    const lasting = (known?.conditions ?? []).filter(({ period }) => period.to === undefined);
    const onsets = new Map(lasting.map(({ cause, period }) => [issueKey(cause), period.from]));
    const from = Math.min(readAt - historyMs, ...[...onsets.values()].map((onset) => onset - minuteMs));
    const { found, listeners, isKnown } = await this.#read(clientId, {
      ...{ from: floorTo(from, minuteMs), at: readAt, revision },
      before: known?.listeners.byName,
    });
    if (!isKnown && known !== undefined && Number.isNaN(known.revision) && at < this.#restoringUntil) {
      this.#checked.set(clientId, { ...known, at });
      this.#due.add(clientId);
      return;
    }
    const conditions = found.map(({ cause, period }) => {
      const onset = onsets.get(issueKey(cause)) ?? period.from;
      return { cause, period: { ...period, from: Math.min(onset, period.from) } };
    });
    const ended = endedBefore(known?.conditions ?? [], conditions, at);
    if (listeners.isContinued) this.#due.add(clientId);
    this.#checked.set(clientId, { revision, at, conditions: [...conditions, ...ended], listeners });
    this.#writeSoon();
  }

  #writeSoon(): void {
    if (this.#isWriteDue) return;
    this.#isWriteDue = true;
    this.#parts.clock.setTimeout(() => {
      this.#isWriteDue = false;
      void this.#parts.known.write(this.#conditions());
    }, gatherMs);
  }

  async #read(
    clientId: string,
    range: CheckedRange,
    signal?: AbortSignal,
  ): Promise<{
    readonly found: Condition[];
    readonly listeners: CheckedListeners;
    readonly isKnown: boolean;
  }> {
    const { askClient } = this.#parts;
    const { moment, from, at } = range;
    const ref = { clientId, at: moment };
    const until = moment === undefined ? {} : { to: at };
    const tears = await askClient('tears', { clientId }, { from, ...until }, signal);
    const findings = await askClient('findings', ref, { only: 'NACK', about: 'profile' }, signal);
    const { isKnown, ...listeners } = await this.#readListeners(ref, range, signal);
    const isOfDocument = this.#isOfDocument(clientId);
    const found = [
      ...readConditions({ clientId, tears, findings, at, isOfDocument }),
      ...[...listeners.byName.values()].flatMap(({ conditions }) => conditions),
    ];
    return { found, listeners, isKnown };
  }

  /** Reads the effective config from each listener, first from those that no earlier check had time for. */
  async #readListeners(
    ref: ClientRef & { readonly clientId: string },
    { moment, at, revision, before }: CheckedRange,
    signal: AbortSignal | undefined,
  ): Promise<CheckedListeners & { readonly isKnown: boolean }> {
    const { clock, live, askClient } = this.#parts;
    const { clientId } = ref;
    const ask = (listener?: string) =>
      askClient('resolved', ref, { status: 'failing', limit: mostClusters, endpoints: 0, listener }, signal);
    const reports = moment === undefined ? live.world.get(clientId)?.reports : undefined;
    const connections = [...(reports?.values() ?? [])].flatMap((report) => report.connections ?? []);
    const startedAt = clock.now();
    const first = await ask();
    const names = (first?.starts ?? []).map(({ listener }) => listener);
    const byName = new Map(names.flatMap((name) => pairOf(name, before?.get(name))));
    const isCurrent = (name: string): boolean => byName.get(name)?.revision === revision;
    let isKnown = names.length === 0;
    const add = (resolved: Resolved | undefined): void => {
      if (resolved?.start === undefined) return;
      isKnown ||= resolved.status === 'resolved' || resolved.status === 'error';
      const conditions = readConditions({
        ...{ clientId, listeners: [resolved], connections, at },
        isOfDocument: this.#isOfDocument(clientId),
      });
      byName.set(resolved.start.listener, { revision, conditions });
    };
    add(first);
    const left = names
      .filter((name) => !isCurrent(name))
      .sort(by((name) => byName.get(name)?.revision ?? Number.NEGATIVE_INFINITY));
    for (const listener of left) {
      if (clock.now() - startedAt > listenersMs) break;
      add(await ask(listener));
    }
    const checked = names.filter(isCurrent).length;
    const total = Math.max(first?.startsTotal ?? 0, names.length);
    return { byName, unchecked: total - checked, total, isContinued: checked < names.length, isKnown };
  }

  /** Returns the end of its file for an imported client, whose config is checked as it was then; for others `at`. */
  #lastMomentOf(clientId: string, at: EpochMs): EpochMs {
    const reports = [...(this.#parts.live.world.get(clientId)?.reports.values() ?? [])];
    if (!isImportedClient({ reports })) return at;
    return Math.min(at, Math.max(...reports.map(({ lastChangedAt }) => lastChangedAt)));
  }

  #isOfDocument(clientId: string): boolean {
    const reports = [...(this.#parts.live.world.get(clientId)?.reports.values() ?? [])];
    return reports.length > 0 && reports.every((report) => findOriginalVantage(report) === 'dump');
  }

  #reported(): string[] {
    const reported: string[] = [];
    for (const [clientId, client] of this.#parts.live.world)
      if (!isProbed(client) && !isUnreported(client)) reported.push(clientId);
    return reported;
  }
}

/** Probes of xdscope send no requests. */
function isProbed({ reports }: ClientState): boolean {
  for (const { vantage } of reports.values()) if (vantage === 'probe') return true;
  return false;
}

function isOfFiles({ reports }: ClientState): boolean {
  return isImportedClient({ reports: [...reports.values()] });
}

/**
 * What an earlier check of a client found and this one does not: it has ended. What ended within the time that is read is found
 * again.
 */
function endedBefore(known: readonly Condition[], found: readonly Condition[], at: EpochMs): Condition[] {
  const byKey = group(found, ({ cause }) => issueKey(cause));
  const ended = known.flatMap(({ cause, period }) => {
    const { from, to = at, end = 'repaired' } = period;
    const isFound = byKey.get(issueKey(cause))?.some((each) => each.period.from <= to);
    return isFound || to <= at - endedMs ? [] : [{ cause, period: { ...period, from, to, end } }];
  });
  return ended.slice(-mostEnded);
}

function endOf(period: IssuePeriod, at: EpochMs): IssuePeriod {
  return { ...period, to: Math.max(period.from, at), end: 'gone' };
}

function pairOf<T>(name: string, known: T | undefined): [string, T][] {
  return known === undefined ? [] : [[name, known]];
}
