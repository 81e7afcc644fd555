import { performance } from 'node:perf_hooks';
import { formatIsoTime } from '@/lib/format/iso-time';
import { groupConditions } from '@/lib/issues/group-conditions';
import type { IssueAt } from '@/lib/issues/issue-at';
import { issueKey } from '@/lib/issues/read-issue-causes';
import { floorTo, minuteMs } from '@/lib/load/plan-load-reading';
import type { ClientState } from '@/lib/observation/client-state';
import { isImportedClient } from '@/lib/views/client/is-imported-client';
import { type Condition, readConditions } from '@/lib/views/issues/read-conditions';
import type { Resolved } from '@/lib/views/resolved/schema';
import type { EpochMs } from '@/lib/xds/units';
import { ApiError } from '../../api-error';
import { findUnavailable } from '../../issues/find-unavailable';
import { issueIdOf } from '../../issues/issue-store';
import type { LiveState } from '../../live/live-state';
import { log } from '../../logger';
import type { Clock } from '../../observe';
import type { ClientRef } from '../../subjects/client-subjects';
import type { AskClient } from '../ask-client';

interface ConfigChecksParts {
  readonly clock: Pick<Clock, 'now' | 'setTimeout'>;
  readonly live: Pick<LiveState, 'world' | 'revisionOf'>;
  readonly askClient: AskClient;
}

interface Checked {
  readonly revision: number;
  readonly at: EpochMs;
  readonly conditions: readonly Condition[];
}

/** Config tears are read from so much of the log, and those that ended are listed for so long. */
const historyMs = 15 * minuteMs;
/** A client that changes all the time is checked so often, and the checks take at most a tenth of the time. */
const leastAgeMs = 10_000;
const shareOfTime = 0.1;
/** The first clients are checked without a pause, so that the issues of a small fleet are complete at once. */
const checkedAtOnce = 20;
const askedMs = 30_000;
/** Limits the clients that are checked for a moment of the past. */
const mostInPast = 20;
/** Limits the listeners of a client, and the failing clusters of each, that are checked. */
const mostListeners = 8;
const mostClusters = 200;

/**
 * The issues of clients that follow from their config as a whole: config tears, findings and known bugs. Clients whose
 * config has changed are checked one after the other, as long as somebody asks.
 */
export class ConfigChecks {
  readonly #parts: ConfigChecksParts;
  readonly #checked = new Map<string, Checked>();
  #isRunning = false;
  #askedAt: EpochMs = 0;

  constructor(parts: ConfigChecksParts) {
    this.#parts = parts;
  }

  /** `moment` is a moment as in the URL; undefined: what the latest checks found. */
  async find(moment: string | undefined, at: EpochMs, signal?: AbortSignal): Promise<readonly IssueAt[]> {
    if (moment !== undefined) return this.#findAt(moment, at, signal);
    this.#askedAt = this.#parts.clock.now();
    this.#start();
    const conditions = [...this.#checked.values()].flatMap((each) => each.conditions);
    return groupConditions(conditions, { at, idOf: issueIdOf });
  }

  /** The number of clients that were checked, and of all that are. */
  get progress(): { readonly checked: number; readonly total: number } {
    return { checked: this.#checked.size, total: [...this.#candidates()].length };
  }

  async #findAt(moment: string, at: EpochMs, signal: AbortSignal | undefined): Promise<readonly IssueAt[]> {
    const conditions: Condition[] = [];
    for (const clientId of [...this.#candidates()].slice(0, mostInPast)) {
      const found = await this.#read(clientId, { moment, from: at - historyMs, at }, signal).catch(
        // The log reports nothing of this client until then.
        (error: unknown) => (error instanceof ApiError && error.status === 404 ? [] : Promise.reject(error)),
      );
      conditions.push(...found);
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

  /** Returns the client whose check is oldest, among those that have changed since their check. */
  #nextClient(): string | undefined {
    const { clock, live } = this.#parts;
    for (const clientId of this.#checked.keys())
      if (!live.world.has(clientId)) this.#checked.delete(clientId);
    const latest = clock.now() - leastAgeMs;
    let next: { readonly clientId: string; readonly at: EpochMs } | undefined;
    for (const clientId of this.#candidates()) {
      const known = this.#checked.get(clientId);
      if (known === undefined) return clientId;
      if (known.at > latest || known.revision === live.revisionOf(clientId)) continue;
      if (next === undefined || known.at < next.at) next = { clientId, at: known.at };
    }
    return next?.clientId;
  }

  /** Keeps the conditions that were found before, and dates the check, so that the other clients are checked first. */
  #failed(clientId: string, error: unknown): void {
    const { clock, live } = this.#parts;
    const conditions = this.#checked.get(clientId)?.conditions ?? [];
    this.#checked.set(clientId, { revision: live.revisionOf(clientId), at: clock.now(), conditions });
    if (findUnavailable(error) === undefined)
      log('error', 'issues', `the config of client ${clientId} was not checked: ${String(error)}`);
  }

  async #check(clientId: string): Promise<void> {
    const { clock, live } = this.#parts;
    const known = this.#checked.get(clientId);
    const [revision, at] = [live.revisionOf(clientId), clock.now()];
    // An issue that lasts keeps its onset, also if that is earlier than what is read.
    const onsets = new Map(
      (known?.conditions ?? [])
        .filter(({ period }) => period.to === undefined)
        .map(({ cause, period }) => [issueKey(cause), period.from]),
    );
    const from = Math.min(at - historyMs, ...[...onsets.values()].map((onset) => onset - minuteMs));
    const found = await this.#read(clientId, { from: floorTo(from, minuteMs), at });
    const conditions = found.map(({ cause, period }) => {
      const onset = onsets.get(issueKey(cause)) ?? period.from;
      return { cause, period: { ...period, from: Math.min(onset, period.from) } };
    });
    this.#checked.set(clientId, { revision, at, conditions });
  }

  async #read(
    clientId: string,
    { moment, from, at }: { readonly moment?: string; readonly from: EpochMs; readonly at: EpochMs },
    signal?: AbortSignal,
  ): Promise<Condition[]> {
    const { askClient } = this.#parts;
    const ref = { clientId, at: moment };
    const until = moment === undefined ? {} : { to: formatIsoTime(at) };
    const tears = await askClient('tears', { clientId }, { from: formatIsoTime(from), ...until }, signal);
    const findings = await askClient('findings', ref, { only: 'NACK', about: 'profile' }, signal);
    const listeners = await this.#readListeners(ref, signal);
    const reports = moment === undefined ? this.#parts.live.world.get(clientId)?.reports : undefined;
    const connections = [...(reports?.values() ?? [])].flatMap((report) => report.connections ?? []);
    return readConditions({ clientId, tears, findings, listeners, connections, at });
  }

  /** The effective config from each listener, with the clusters that fail. */
  async #readListeners(ref: ClientRef, signal: AbortSignal | undefined): Promise<Resolved[]> {
    const ask = (listener?: string) =>
      this.#parts.askClient(
        'resolved',
        ref,
        { status: 'error', limit: mostClusters, endpoints: 0, listener },
        signal,
      );
    const first = await ask();
    const others = (first?.starts ?? []).filter(({ listener }) => listener !== first?.start?.listener);
    const found = [first];
    for (const { listener } of others.slice(0, mostListeners - 1)) found.push(await ask(listener));
    return found.filter((each) => each !== undefined);
  }

  /** Probes send no RPCs, and a file does not change. */
  *#candidates(): Generator<string> {
    for (const [clientId, client] of this.#parts.live.world) if (!isLeftOut(client)) yield clientId;
  }
}

function isLeftOut({ reports }: ClientState): boolean {
  const all = [...reports.values()];
  return all.some(({ vantage }) => vantage === 'probe') || isImportedClient({ reports: all });
}
