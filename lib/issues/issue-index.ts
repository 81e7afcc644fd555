import { isRicherText } from '../nacks/error-text';
import { resourceKey } from '../observation/client-state';
import type { ClientConfigChanged, Recorded, Side } from '../observation/observation';
import type { ResourceKey } from '../observation/resource-state';
import { findOriginalVantage } from '../observation/vantage';
import type { EpochMs } from '../xds/units';
import { isLongEnough } from './issue-at';
import { issueObservationKinds } from './issue-observations';
import type { IssueEnd, IssuePeriod, IssueRecord, ReportedCause } from './issue-record';
import { type IssueReport, issueKey, keyOfConnection, readIssueReports } from './read-issue-causes';

export interface IssueIndexOptions {
  /** Derives a short id from a key; the same in every process. */
  readonly idOf: (key: string) => string;
  readonly maxRecords?: number;
  readonly maxEnded?: number;
}

/** The issues that sources report of one client. */
interface ClientReports {
  /** The source and the issue by source and resource. */
  readonly places: Map<string, { readonly issueId: string; readonly sourceId: string }>;
  /** The number of places by issue and source. */
  readonly counts: Map<string, Map<string, number>>;
  /** The sources of the places. */
  readonly sources: Set<string>;
  /** Sources that no longer report the client, although they have not reported that its issues ended. */
  readonly gone: Set<string>;
}

type ReportedRecord = IssueRecord<ReportedCause>;

/** The report of one source on an issue. */
interface OtherReport {
  readonly place: string;
  readonly sourceId: string;
  readonly record: ReportedRecord;
}

function newReports(): ClientReports {
  return { places: new Map(), counts: new Map(), sources: new Set(), gone: new Set() };
}

const kinds: ReadonlySet<string> = new Set(issueObservationKinds);

/**
 * The issues of clients over time, folded observation by observation. Several sources may report one issue: it begins with
 * the first report and ends when no source reports it any longer. Beyond the limits, what ended longest ago is dropped; the
 * log still has it.
 */
export class IssueIndex {
  readonly #options: IssueIndexOptions;

  readonly records = new Map<string, ReportedRecord>();
  /** The number of periods that were dropped, and the time until which the index is incomplete. */
  dropped = 0;
  completeSince: EpochMs | null = null;
  /** The reports of the clients that have places, by client ID. */
  readonly #clients = new Map<string, ClientReports>();
  /** The periods in the order in which they ended. */
  readonly #ended: { readonly record: ReportedRecord; readonly period: IssuePeriod }[] = [];

  constructor(options: IssueIndexOptions) {
    this.#options = options;
  }

  /** Returns true if the client has issues. If not, only observations for which mayBeginIssue() holds matter. */
  hasOpen(clientId: string): boolean {
    return this.#clients.has(clientId);
  }

  /** Returns true if the source of the report is known to have reported that the resource has an issue. */
  isKnown({ clientId, sourceId, side }: ClientConfigChanged, resource: ResourceKey): boolean {
    return this.#clients.get(clientId)?.places.has(placeOf(sourceId, side, resource)) === true;
  }

  /** Returns the ids of changed records. */
  fold(observation: Recorded): ReadonlySet<string> {
    const touched = new Set<string>();
    if (!('clientId' in observation) || !kinds.has(observation.kind)) return touched;
    const { clientId, sourceId } = observation;
    const isEnd =
      observation.kind === 'client-gone' ||
      (observation.kind === 'stream-closed' && (observation.othersOpen ?? 0) === 0);
    if (isEnd) {
      this.#setGone(observation, true, touched);
      return touched;
    }
    if (observation.kind === 'stream-closed') return touched;
    if (observation.kind === 'stream-opened' && observation.cacheEmpty === true) {
      for (const [place, known] of [...(this.#clients.get(clientId)?.places ?? [])]) {
        if (known.sourceId === sourceId) this.#release(observation, place, 'gone', touched);
      }
      return touched;
    }
    this.#setGone(observation, false, touched);
    this.#foldReports(observation, touched);
    this.#evict();
    return touched;
  }

  /** The client is no longer in the live state. */
  forgetClient(clientId: string, at: EpochMs, seq: number): ReadonlySet<string> {
    const touched = new Set<string>();
    for (const place of [...(this.#clients.get(clientId)?.places.keys() ?? [])]) {
      this.#release({ clientId, at, seq }, place, 'gone', touched);
    }
    return touched;
  }

  /** Removes every trace of these clients, as of those of a removed file. Returns the ids of changed records. */
  removeClients(clientIds: ReadonlySet<string>): ReadonlySet<string> {
    const touched = new Set<string>();
    for (const record of this.records.values()) {
      const { ended, open } = record;
      const kept = ended.filter(({ clientId }) => !clientIds.has(clientId));
      if (kept.length < ended.length) {
        ended.splice(0, ended.length, ...kept);
        touched.add(record.id);
      }
      for (const clientId of clientIds) if (open.delete(clientId)) touched.add(record.id);
      if (open.size + ended.length === 0) this.records.delete(record.id);
    }
    for (const clientId of clientIds) this.#clients.delete(clientId);
    return touched;
  }

  #foldReports(observation: Recorded & { readonly clientId: string }, touched: Set<string>): void {
    const { sourceId } = observation;
    const { side, begun, repaired, removed } = readIssueReports(observation);
    const begunPlaces = new Set<string>();
    for (const report of begun) {
      const place = placeOf(sourceId, side, report.resource);
      begunPlaces.add(place);
      this.#foldBegun(observation, place, report, touched);
    }
    if (!this.#clients.has(observation.clientId)) return;
    for (const key of repaired) {
      const place = placeOf(sourceId, side, key);
      if (!begunPlaces.has(place)) this.#release(observation, place, 'repaired', touched);
    }
    for (const key of removed) this.#release(observation, placeOf(sourceId, side, key), 'removed', touched);
    if (observation.kind !== 'connections-changed' || observation.isComplete !== true) return;
    // Channels that are not among those of a complete report have ended.
    const ofChannels = placeOf(sourceId, side, keyOfConnection(''));
    for (const place of [...(this.#clients.get(observation.clientId)?.places.keys() ?? [])]) {
      if (place.startsWith(ofChannels) && !begunPlaces.has(place))
        this.#release(observation, place, 'removed', touched);
    }
  }

  #foldBegun(
    observation: Recorded & { readonly clientId: string },
    place: string,
    report: IssueReport,
    touched: Set<string>,
  ): void {
    const { clientId, sourceId } = observation;
    const others = this.#findSameNacks(clientId, sourceId, report);
    const { text } = report.cause;
    const known = others.find(({ record }) => text === '' || isRicherText(record.cause.text, text));
    const record = known?.record ?? this.#recordOf(report.cause);
    touched.add(record.id);
    const before = this.#clients.get(clientId)?.places.get(place);
    // The new period begins before the old one ends, so that the client is kept.
    const period = this.#begin(record, observation, report);
    for (const other of others)
      if (isRicherText(record.cause.text, other.record.cause.text))
        this.#move(observation, other, { record, period }, touched);
    if (before?.issueId === record.id) return;
    if (before !== undefined) this.#release(observation, place, 'repaired', touched);
    period.resources = Math.max(period.resources, this.#hold(clientId, place, record.id, sourceId));
  }

  /** The NACKs of the resource that other sources report of the client: it is one NACK, whose text only some of them know. */
  #findSameNacks(
    clientId: string,
    sourceId: string,
    { cause: { kind, side }, resource }: IssueReport,
  ): OtherReport[] {
    const client = this.#clients.get(clientId);
    if (client === undefined || kind !== 'nack' || side !== 'client') return [];
    return [...client.sources].flatMap((source) => {
      const place = placeOf(source, side, resource);
      const record =
        source === sourceId ? undefined : this.records.get(client.places.get(place)?.issueId ?? '');
      return record?.cause.kind === 'nack' ? [{ place, sourceId: source, record }] : [];
    });
  }

  /** The report of another source is about this issue, and not about the one that it began without the text of the client. */
  #move(
    { clientId }: Recorded & { readonly clientId: string },
    { place, sourceId, record: before }: OtherReport,
    { record, period }: { readonly record: ReportedRecord; readonly period: IssuePeriod },
    touched: Set<string>,
  ): void {
    const client = this.#clients.get(clientId);
    if (client === undefined) return;
    this.#drop(client, place);
    this.#hold(clientId, place, record.id, sourceId);
    touched.add(before.id);
    const old = before.open.get(clientId);
    if (old === undefined || isReported(client, before.id)) return;
    period.from = Math.min(period.from, old.from);
    before.open.delete(clientId);
    if (before.open.size + before.ended.length === 0) this.records.delete(before.id);
  }

  /** Returns the number of resources of which the source reports the issue. */
  #hold(clientId: string, place: string, issueId: string, sourceId: string): number {
    const client = this.#clients.get(clientId) ?? newReports();
    this.#clients.set(clientId, client);
    client.sources.add(sourceId);
    client.places.set(place, { issueId, sourceId });
    const bySource = client.counts.get(issueId) ?? new Map<string, number>();
    const count = (bySource.get(sourceId) ?? 0) + 1;
    bySource.set(sourceId, count);
    client.counts.set(issueId, bySource);
    return count;
  }

  #recordOf(cause: ReportedCause): ReportedRecord {
    const id = this.#options.idOf(issueKey(cause));
    const known = this.records.get(id);
    if (known !== undefined) {
      if (cause.kind === 'unreachable' && cause.text !== '') known.cause = cause;
      return known;
    }
    const record: ReportedRecord = { id, cause, open: new Map(), ended: [] };
    this.records.set(id, record);
    return record;
  }

  #begin(
    record: ReportedRecord,
    { clientId, seq, at, ...source }: Recorded & { readonly clientId: string },
    { from, versionInfo, keepsAccepted }: IssueReport,
  ): IssuePeriod {
    const known = record.open.get(clientId);
    if (known !== undefined) {
      known.versionInfo = versionInfo || known.versionInfo;
      known.keepsAccepted = keepsAccepted ?? known.keepsAccepted;
      return known;
    }
    const previous = record.ended.findLast((period) => period.clientId === clientId);
    const period: IssuePeriod = {
      clientId,
      // The clock of a client may be set wrong.
      from: Math.min(at, Math.max(from, previous?.to ?? 0)),
      to: undefined,
      end: undefined,
      fromSeq: seq,
      toSeq: null,
      versionInfo,
      keepsAccepted,
      resources: 1,
      ...(findOriginalVantage(source) === 'dump' ? { isOfDocument: true } : {}),
    };
    record.open.set(clientId, period);
    return period;
  }

  #setGone(
    observation: Recorded & { readonly clientId: string },
    isGone: boolean,
    touched: Set<string>,
  ): void {
    const { clientId, sourceId, at, seq } = observation;
    const client = this.#clients.get(clientId);
    if (client === undefined || client.gone.has(sourceId) === isGone) return;
    if (isGone) client.gone.add(sourceId);
    else client.gone.delete(sourceId);
    for (const [issueId, bySource] of client.counts) {
      const record = bySource.has(sourceId) ? this.records.get(issueId) : undefined;
      if (record === undefined) continue;
      touched.add(issueId);
      if (!isGone && !record.open.has(clientId)) this.#resume(record, clientId);
      if (isGone && !isReported(client, issueId)) this.#end(record, clientId, { at, seq }, 'gone');
    }
  }

  /** The source reports the client again, and nothing of it has changed. */
  #resume(record: ReportedRecord, clientId: string): void {
    const index = record.ended.findLastIndex((period) => period.clientId === clientId);
    const period = record.ended[index];
    if (period?.end !== 'gone') return;
    record.ended.splice(index, 1);
    Object.assign(period, { to: undefined, end: undefined, toSeq: null });
    record.open.set(clientId, period);
  }

  #release(
    { clientId, at, seq }: { readonly clientId: string; readonly at: EpochMs; readonly seq: number },
    place: string,
    how: IssueEnd,
    touched: Set<string>,
  ): void {
    const client = this.#clients.get(clientId);
    const known = client?.places.get(place);
    if (client === undefined || known === undefined) return;
    const { issueId } = known;
    this.#drop(client, place);
    if (client.places.size === 0) this.#clients.delete(clientId);
    const record = this.records.get(issueId);
    if (record === undefined) return;
    touched.add(issueId);
    if (record.open.has(clientId) && !isReported(client, issueId)) {
      this.#end(record, clientId, { at, seq }, how);
    }
  }

  #drop(client: ClientReports, place: string): void {
    const known = client.places.get(place);
    if (known === undefined) return;
    const { issueId, sourceId } = known;
    client.places.delete(place);
    const bySource = client.counts.get(issueId);
    const count = (bySource?.get(sourceId) ?? 1) - 1;
    if (count > 0) bySource?.set(sourceId, count);
    else bySource?.delete(sourceId);
    if (bySource?.size === 0) client.counts.delete(issueId);
  }

  #end(
    record: ReportedRecord,
    clientId: string,
    { at, seq }: { readonly at: EpochMs; readonly seq: number },
    end: IssueEnd,
  ): void {
    const period = record.open.get(clientId);
    if (period === undefined) return;
    record.open.delete(clientId);
    Object.assign(period, { to: Math.max(at, period.from), toSeq: seq, end });
    // Each client that starts waits for its first response; one that is gone may be reported again.
    if (end !== 'gone' && !isLongEnough(record, period, at)) {
      this.#deleteEmpty(record);
      return;
    }
    record.ended.push(period);
    this.#ended.push({ record, period });
  }

  #evict(): void {
    const { maxEnded = 20_000, maxRecords = 5_000 } = this.#options;
    while (this.#ended.length > maxEnded) this.#dropOldest();
    while (this.records.size > maxRecords && this.#ended.length > 0) this.#dropOldest();
  }

  #dropOldest(): void {
    const oldest = this.#ended.shift();
    if (oldest === undefined) return;
    const { record, period } = oldest;
    const index = record.ended.indexOf(period);
    // A period that was resumed has no place here any longer.
    if (index < 0) return;
    record.ended.splice(index, 1);
    this.dropped += 1;
    this.completeSince = Math.max(this.completeSince ?? 0, period.to ?? 0);
    this.#deleteEmpty(record);
  }

  #deleteEmpty({ id, open, ended }: ReportedRecord): void {
    if (open.size + ended.length === 0) this.records.delete(id);
  }
}

function isReported({ counts, gone }: ClientReports, issueId: string): boolean {
  for (const sourceId of counts.get(issueId)?.keys() ?? []) if (!gone.has(sourceId)) return true;
  return false;
}

function placeOf(sourceId: string, side: Side, key: ResourceKey): string {
  return `${sourceId} ${side}\u0000${resourceKey(key)}`;
}
