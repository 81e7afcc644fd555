import { by, byDescending, inTurn } from '../../collections/compare';
import type { ClientReport, ClientState } from '../../observation/client-state';
import type { DeclaredSource, Side, Vantage } from '../../observation/observation';
import { findOriginalVantage, reportsResources } from '../../observation/vantage';
import type { EpochMs } from '../../xds/units';

export type Freshness = 'live' | 'stale' | 'gone';

/** The freshness of a source's report on a client. It is not in the log, since an unchanged poll is not an observation. */
export interface ReportFreshness {
  readonly freshness: Freshness;
  /** The reason why the report is not live; empty if it is. */
  readonly reason: string;
  readonly lastSeenAt?: EpochMs | undefined;
  /** The source as the log declares it, if it is known. */
  readonly source?: DeclaredSource | undefined;
  /** A sentence that states what the source does not show of the client. */
  readonly notVisible?: string | undefined;
}

export type FreshnessOf = (report: ClientReport, clientId: string) => ReportFreshness;

const rank: Record<Freshness, number> = { live: 0, stale: 1, gone: 2 };

export function compareFreshness(a: Freshness, b: Freshness): number {
  return rank[a] - rank[b];
}

/**
 * Prefers the most complete report: Envoy's admin interface reports hosts and stages that CSDS does not have; istiod reports
 * whole types only; a tap infers states from streams, without timers.
 */
const vantageRank: Partial<Readonly<Record<Vantage, number>>> = { 'envoy-admin': 0, istiod: 2, tap: 3 };

function rankOfVantage(report: ClientReport): number {
  return vantageRank[findOriginalVantage(report)] ?? 1;
}

/**
 * Chooses the report for one side of a client: the freshest, then the most complete vantage, then the newest change. Reports
 * without resources are never chosen.
 */
export function chooseReport(
  client: ClientState,
  side: Side,
  freshnessOf: FreshnessOf,
): ClientReport | undefined {
  return listReports(client, side).sort(
    inTurn(
      by((each) => freshnessOf(each, client.clientId).freshness, compareFreshness),
      by(rankOfVantage),
      byDescending(({ lastChangedAt }) => lastChangedAt),
      by(({ sourceId }) => sourceId),
    ),
  )[0];
}

/**
 * A client has a stream for each management server, and each passes a tap of its own: after a fallback (gRFC A71), or if it
 * gets its types from several servers.
 */
interface OtherTap {
  readonly report: ClientReport;
  /** The types that the client gets through other taps since the streams of this one ended. */
  readonly hiddenTypes: ReadonlySet<string>;
}

/** The reports from which the rows of a client are built. */
export interface ChosenReports {
  readonly clientReport: ClientReport | undefined;
  /** The report of a tap, if `clientReport` is that of an admin interface or of CSDS. */
  readonly answers: ClientReport | undefined;
  /** `clientReport` reports answers as well, which take precedence: `answers` adds only what it does not report. */
  readonly reportsAnswers: boolean;
  /** The reports of further taps, through which other streams of the client pass. Empty unless a tap reports it. */
  readonly otherTaps: readonly OtherTap[];
  /** The time at which the last stream of `answers` ended; null while one is open. */
  readonly answersEndedAt: EpochMs | null;
  readonly controlPlaneReport: ClientReport | undefined;
  /** The time at which `controlPlaneReport` ended; null while its control plane reports the client. */
  readonly controlPlaneEndedAt: EpochMs | null;
}

export function chooseReports(client: ClientState, freshnessOf: FreshnessOf): ChosenReports {
  const clientReport = chooseReport(client, 'client', freshnessOf);
  const controlPlaneReport = chooseReport(client, 'control-plane', freshnessOf);
  const controlPlaneEndedAt = controlPlaneReport?.goneAt ?? null;
  const vantage = clientReport && findOriginalVantage(clientReport);
  const planes = { controlPlaneReport, controlPlaneEndedAt, reportsAnswers: vantage === 'csds' };
  if (clientReport === undefined || (vantage !== 'envoy-admin' && vantage !== 'csds' && vantage !== 'tap')) {
    return { clientReport, answers: undefined, otherTaps: none, answersEndedAt: null, ...planes };
  }
  const isInFile = clientReport.vantage === 'dump';
  const taps = [...client.reports].filter(
    ([, report]) => findOriginalVantage(report) === 'tap' && (report.vantage === 'dump') === isInFile,
  );
  if (vantage === 'tap') {
    return {
      clientReport,
      answers: undefined,
      otherTaps: findOtherTaps(clientReport, taps),
      answersEndedAt: null,
      ...planes,
    };
  }
  const answers = chooseReport({ ...client, reports: new Map(taps) }, 'client', freshnessOf);
  const otherTaps = answers === undefined ? none : findOtherTaps(answers, taps);
  const isOpen = otherTaps.some(({ report }) => report.goneAt === null);
  return {
    clientReport,
    answers,
    otherTaps,
    answersEndedAt: isOpen ? null : (answers?.goneAt ?? null),
    ...planes,
  };
}

const none: readonly OtherTap[] = [];
const noTypes: ReadonlySet<string> = new Set();

/** A tap whose streams ended before those of `main` began was that of an earlier process. */
function findOtherTaps(
  main: ClientReport,
  taps: readonly (readonly [string, ClientReport])[],
): readonly OtherTap[] {
  const others = taps.flatMap(([, report]) => {
    const isOfProcess = report.goneAt === null || report.goneAt >= main.firstSeenAt;
    return report === main || !isOfProcess ? [] : [report];
  });
  if (others.length === 0) return none;
  const current = [main, ...others.filter(({ goneAt }) => goneAt === null)];
  const hiddenTypes = new Set(
    current.flatMap(({ resources }) => [...resources.values()].map(({ typeUrl }) => typeUrl)),
  );
  return others.map((report) => ({ report, hiddenTypes: report.goneAt === null ? noTypes : hiddenTypes }));
}

export function isSameReports(a: ChosenReports, b: ChosenReports): boolean {
  return (
    a.clientReport === b.clientReport &&
    a.answers === b.answers &&
    a.answersEndedAt === b.answersEndedAt &&
    a.controlPlaneReport === b.controlPlaneReport &&
    a.otherTaps.length === b.otherTaps.length &&
    a.otherTaps.every((each, at) => isSameTap(each, b.otherTaps[at])) &&
    a.controlPlaneEndedAt === b.controlPlaneEndedAt
  );
}

function isSameTap(a: OtherTap, b: OtherTap | undefined): boolean {
  if (a.report !== b?.report || a.hiddenTypes.size !== b.hiddenTypes.size) return false;
  return [...a.hiddenTypes].every((typeUrl) => b.hiddenTypes.has(typeUrl));
}

export function listReports(client: ClientState, side: Side): ClientReport[] {
  return [...client.reports.values()].filter((report) => report.side === side && reportsResources(report));
}
