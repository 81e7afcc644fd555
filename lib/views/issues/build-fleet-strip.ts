import { by, byDescending, inTurn } from '../../collections/compare';
import type { Steps } from '../../cooperative/steps';
import { type IssueAt, isLongEnough } from '../../issues/issue-at';
import type { IssuePeriod, IssueRecord } from '../../issues/issue-record';
import { withoutExplained } from '../../issues/remove-explained';
import type { EpochMs } from '../../xds/units';
import { describeIssueKind } from './describe-issue-kind';
import type { FleetStrip, Issue } from './schema';

interface FleetStripInput {
  /** What sources, checks and taps found, with the periods that have ended. */
  readonly records: Iterable<IssueRecord>;
  /** The issues of clients that are open at the end of the range, as the list of issues has them. */
  readonly open: readonly IssueAt[];
  /** Issues about requests, whose clients have them as long as the issue lasts. */
  readonly ofRequests: readonly Issue[];
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** The clients that are observed. */
  readonly clients: { keys(): Iterable<string> };
  /** True for a client whose whole config was checked. */
  readonly isJudged: (clientId: string) => boolean;
  readonly nodeIdOf: (clientId: string) => string;
  /** True for clients that have no row. */
  readonly isLeftOut: (clientId: string) => boolean;
}

/** The largest number of rows, and of spans of one row; the rest is counted. */
const mostRows = 40;
const mostSpans = 100;
const recordsPerStep = 64;

type Span = FleetStrip['rows'][number]['spans'][number];

interface Row {
  readonly clientId: string;
  troubledMs: number;
  isOpen: boolean;
  readonly spans: Span[];
}

/** The clients that had issues in a time range, those that have one at its end first, then by how long they had them. */
export function* buildFleetStrip(
  input: FleetStripInput,
): Steps<Pick<FleetStrip, 'from' | 'to' | 'rows' | 'othersWithIssues' | 'withoutIssues' | 'notJudged'>> {
  const { records, open, ofRequests, from, to, clients, isJudged, nodeIdOf, isLeftOut } = input;
  const rows = new Map<string, Row>();
  const leftOut = new Set<string>();
  const add = (clientId: string, span: Span): void => {
    if (isLeftOut(clientId)) {
      leftOut.add(clientId);
      return;
    }
    const row = rows.get(clientId) ?? { clientId, troubledMs: 0, isOpen: false, spans: [] };
    rows.set(clientId, row);
    row.troubledMs += span.to - span.from;
    row.isOpen ||= span.isOpen;
    row.spans.push(span);
  };
  const ended = yield* findEnded(records, from, to);
  for (const { record, periods } of [...open, ...withoutExplained(ended, [...open, ...ended], to)]) {
    const { title: text } = describeIssueKind(record.cause, periods);
    for (const { clientId, from: since, to: until, end } of periods) {
      const times = {
        from: Math.max(from, since),
        to: Math.min(to, until ?? to),
        isOpen: until === undefined,
        ...(until !== undefined && { end }),
      };
      add(clientId, { ...times, issueId: record.id, kind: record.cause.kind, text });
    }
  }
  for (const { id: issueId, title: text, clients: some } of ofRequests) {
    for (const { clientId, since, until, end = 'repaired' } of some.items) {
      if ((until ?? to) < from) continue;
      const isOpen = until === undefined;
      const times = { from: Math.max(from, since), to: until ?? to, isOpen, ...(!isOpen && { end }) };
      add(clientId, { ...times, issueId, kind: 'load-errors', text });
    }
  }
  const sorted = [...rows.values()].sort(
    inTurn(
      byDescending(({ isOpen }) => isOpen),
      byDescending(({ troubledMs }) => troubledMs),
      by(({ clientId }) => clientId),
    ),
  );
  const others = [...clients.keys()].filter((clientId) => !rows.has(clientId) && !leftOut.has(clientId));
  const withoutIssues = others.filter(isJudged).length;
  return {
    from,
    to,
    rows: sorted.slice(0, mostRows).map(({ clientId, spans }) => ({
      clientId,
      nodeId: nodeIdOf(clientId),
      spans: spans.sort(by((span) => span.from)).slice(-mostSpans),
    })),
    othersWithIssues: Math.max(0, sorted.length - mostRows),
    withoutIssues,
    notJudged: others.length - withoutIssues,
  };
}

/** The periods that ended within the range. */
function* findEnded(records: Iterable<IssueRecord>, from: EpochMs, to: EpochMs): Steps<IssueAt[]> {
  const found: IssueAt[] = [];
  let visited = 0;
  for (const record of records) {
    visited += 1;
    if (visited % recordsPerStep === 0) yield;
    const isWithin = (period: IssuePeriod): boolean => {
      const { to: until } = period;
      return until !== undefined && until >= from && until <= to && isLongEnough(record, period, to);
    };
    const periods = record.ended.filter(isWithin);
    const since = Math.min(...periods.map((period) => period.from));
    const resolvedAt = Math.max(...periods.map((period) => period.to ?? to));
    if (periods.length > 0) found.push({ record, since, resolvedAt, periods });
  }
  return found;
}
