import { column, unsorted } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { NameText } from '@/app/_components/name-text';
import { typeColumn } from '@/app/_components/type-column';
import { EventMark } from '@/app/_drawings/history/event-mark';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatDuration } from '@/lib/format/duration';
import type { HistoryFact } from '@/lib/views/history/group-facts';
import type { HistoryKind } from '@/lib/views/history/history-kinds';
import { isWholeType } from '@/lib/views/history/is-whole-type';
import type { HistoryEvent } from '@/lib/views/history/schema';
import { EventTime } from './event-time';

type Column = DataColumn<HistoryFact>;

export const eventId = (event: HistoryEvent) => String(event.seq);

interface HistoryColumnOptions {
  readonly withClient: boolean;
  /** Shows or hides the sources of a fact. Keep its identity. */
  readonly onToggle: (seq: number) => void;
}

/** `zone` is shown in the header. */
export function buildHistoryColumns(
  zone: string,
  { withClient, onToggle }: HistoryColumnOptions,
): readonly Column[] {
  return unsorted([
    timeColumn(zone),
    ...(withClient ? [clientColumn] : []),
    typeColumn(),
    kindColumn,
    versionColumn,
    // A nonce pairs messages within one stream. Beside the clients there is no room for it; the detail of an event has it.
    ...(withClient ? [] : [nonceColumn]),
    namesColumn,
    sizeColumn,
    tookColumn,
    sourceColumn(onToggle),
    textColumn,
  ]);
}

export function buildNarrowHistoryColumns(zone: string): readonly Column[] {
  return unsorted([
    {
      ...timeColumn(zone),
      widthPx: 108,
      cell: ({ at }) => (
        <span className="text-small">
          <EventTime at={at} isStacked />
        </span>
      ),
    },
    {
      ...textColumn,
      widthPx: 240,
      cell: (event) => (
        <span className="flex min-w-0 items-center gap-1.5">
          <EventMark kind={event.kind} word={false} />
          {textColumn.cell(event)}
        </span>
      ),
    },
  ]);
}

function timeColumn(zone: string): Column {
  return column('time', `Time, ${zone}`, ({ at }) => at, {
    description: `By the clock of the xdscope host, shown in ${zone}`,
    widthPx: 124,
    align: 'right',
    as: (at) => <EventTime at={at} isStacked />,
  });
}
const clientColumn: Column = column('client', 'Client', ({ clientId }) => clientId, {
  widthPx: 176,
  cell: ({ nodeId, clientId, sourceId, ofRemovedFile }) =>
    clientId === undefined ? (
      <NameText name={sourceId} className="text-muted" />
    ) : (
      <span className="flex min-w-0 items-center gap-1.5">
        <NameText name={nodeId ?? clientId} />
        {ofRemovedFile && (
          <span className="shrink-0 text-muted" title="From a file that has been removed">
            file removed
          </span>
        )}
      </span>
    ),
});
const kindColumn: Column = column('kind', 'Kind', ({ kind }) => kind, {
  widthPx: 184,
  as: (kind, { repeats }) => (
    <span className="inline-flex items-center gap-1.5">
      <EventMark kind={kind} />
      {repeats > 1 && (
        <span className="text-[0.8571em] text-muted" title={`${formatCount(repeats)} equal events`}>
          ×{formatCount(repeats)}
        </span>
      )}
    </span>
  ),
});
const versionColumn: Column = column('version', 'Version', ({ versionInfo }) => versionInfo, {
  as: 'name',
  why: whyAbsent,
  widthPx: 76,
  description: 'version_info; of a NACK, the version that was rejected',
});
const nonceColumn: Column = column('nonce', 'Nonce', ({ nonce }) => nonce || null, {
  as: 'name',
  why: whyAbsent,
  widthPx: 80,
  description: 'Pairs a response with its ACK or NACK',
});
const namesColumn: Column = {
  id: 'names',
  header: 'Names',
  description: 'Resources that were requested, received, changed or rejected',
  widthPx: 168,
  grows: true,
  cell: ({ names: [first], nameCount, sourceKind }) =>
    first !== undefined && (
      <span className="flex min-w-0 items-center gap-1.5">
        {isWholeType(sourceKind, first) ? (
          <span className="text-muted">(all resources)</span>
        ) : (
          <NameText name={first} />
        )}
        {nameCount > 1 && <span className="shrink-0 text-muted">+{formatCount(nameCount - 1)}</span>}
      </span>
    ),
};
const sizeColumn: Column = column('size', 'Size', ({ sizeBytes }) => sizeBytes, {
  as: 'bytes',
  why: null,
  widthPx: 72,
});
const tookColumn: Column = column('took', 'Latency', ({ tookMs }) => tookMs, {
  description: 'A response: since its request. An ACK or NACK: since its response',
  align: 'right',
  widthPx: 78,
  why: null,
  as: (tookMs) => <span title={`${tookMs} ms`}>{formatDuration(tookMs)}</span>,
});
function sourceColumn(onToggle: (seq: number) => void): Column {
  return {
    id: 'source',
    header: 'Source',
    description: 'The source that reported it first; several sources may report the same',
    widthPx: 148,
    grows: true,
    cell: ({ seq, sourceId, others }) =>
      others.length === 0 ? (
        <NameText name={sourceId} className="text-muted" />
      ) : (
        <button
          type="button"
          onClick={(event) => {
            event.stopPropagation();
            onToggle(seq);
          }}
          title={[sourceId, ...others.map((other) => other.sourceId)].join('\n')}
          className="inline-flex h-6 items-center rounded-full border border-line-strong/60 px-2 text-small whitespace-nowrap hover:bg-hover"
        >
          seen by {formatCounted(others.length + 1, 'source')}
        </button>
      ),
  };
}
const textColumn: Column = column('text', 'Event', ({ text }) => text, {
  widthPx: 124,
  grows: true,
  as: (text, { isTrouble }) => (
    <span className={`block min-w-0 truncate ${isTrouble ? 'text-nacked' : ''}`} title={text}>
      {text}
    </span>
  ),
});

const messages: ReadonlySet<HistoryKind> = new Set(['response-received', 'ack-sent', 'nack-sent']);

/** Only messages have versions and nonces; of other events nothing is missing. */
function whyAbsent({ kind }: HistoryFact): string | null {
  return messages.has(kind) ? 'not reported' : null;
}
