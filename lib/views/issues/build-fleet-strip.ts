import { by, byDescending, inTurn } from '../../collections/compare';
import { isLongEnough } from '../../issues/issue-at';
import type { IssueCause, IssuePeriod, IssueRecord } from '../../issues/issue-record';
import type { Steps } from '../../steps/steps';
import { formatResourceType } from '../../xds/resource-type';
import type { EpochMs } from '../../xds/units';
import type { FleetStrip, StripKind } from './schema';

type StripRecord = IssueRecord<IssueCause & { readonly kind: StripKind }>;

interface FleetStripInput {
  readonly records: Iterable<StripRecord>;
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** The number of clients that are observed. */
  readonly clients: number;
  readonly nodeIdOf: (clientId: string) => string;
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
export function* buildFleetStrip(input: FleetStripInput): Steps<FleetStrip> {
  const { records, from, to, clients, nodeIdOf } = input;
  const rows = new Map<string, Row>();
  let visited = 0;
  for (const record of records) {
    visited += 1;
    if (visited % recordsPerStep === 0) yield;
    for (const period of [...record.ended, ...record.open.values()]) {
      const begin = Math.max(from, period.from);
      const end = Math.min(to, period.to ?? to);
      if (end < begin || period.from > to || !isLongEnough(record, (period.to ?? to) - period.from)) continue;
      const { clientId } = period;
      const row = rows.get(clientId) ?? { clientId, troubledMs: 0, isOpen: false, spans: [] };
      rows.set(clientId, row);
      row.troubledMs += end - begin;
      row.isOpen ||= period.to === undefined || period.to > to;
      row.spans.push(buildSpan(record, period, begin, end));
    }
  }
  const sorted = [...rows.values()].sort(
    inTurn(
      byDescending(({ isOpen }) => isOpen),
      byDescending(({ troubledMs }) => troubledMs),
      by(({ clientId }) => clientId),
    ),
  );
  return {
    from,
    to,
    rows: sorted.slice(0, mostRows).map(({ clientId, spans }) => ({
      clientId,
      nodeId: nodeIdOf(clientId),
      spans: withoutExplained(spans)
        .sort(by(({ from }) => from))
        .slice(-mostSpans),
    })),
    othersWithIssues: Math.max(0, sorted.length - mostRows),
    withoutIssues: Math.max(0, clients - sorted.length),
  };
}

/** A management server that is unreachable explains why there is no response. */
function withoutExplained(spans: readonly Span[]): Span[] {
  const outages = spans.filter(({ kind }) => kind === 'unreachable');
  return spans.filter(
    ({ kind, from, to }) =>
      kind !== 'unreached' || !outages.some((outage) => outage.from <= to && from <= outage.to),
  );
}

function buildSpan({ id, cause }: StripRecord, { to: end }: IssuePeriod, from: EpochMs, to: EpochMs): Span {
  const { kind, typeUrl, name } = cause;
  const text = `${formatResourceType(typeUrl)} ${name}`.trim();
  return { from, to, isOpen: end === undefined, issueId: id, kind, text };
}
