import { BytesText, NotReported } from '@/app/_components/bytes-text';
import type { DataColumn } from '@/app/_components/data-column';
import { NameText } from '@/app/_components/name-text';
import { EventMark } from '@/app/_drawings/history/event-mark';
import type { HistoryEvent } from '@/lib/api/history';
import { formatCount } from '@/lib/format/count';
import { formatDuration } from '@/lib/format/duration';
import { isWholeType } from '@/lib/view-model/history/is-whole-type';
import { EventTime } from './event-time';

type Column = DataColumn<HistoryEvent>;

export const eventId = (event: HistoryEvent) => String(event.seq);

/** `zone` is shown in the header. */
export function buildHistoryColumns(zone: string, withClient: boolean): Column[] {
  return [
    timeColumn(zone),
    ...(withClient ? [clientColumn] : []),
    typeColumn,
    kindColumn,
    versionColumn,
    nonceColumn,
    namesColumn,
    sizeColumn,
    tookColumn,
    sourceColumn,
    textColumn,
  ];
}

export function buildNarrowHistoryColumns(zone: string): Column[] {
  return [
    {
      ...timeColumn(zone),
      widthPx: 108,
      cell: ({ at }) => (
        <span className="text-small">
          <EventTime iso={at} />
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
  ];
}

function timeColumn(zone: string): Column {
  return {
    id: 'time',
    header: `Time, ${zone}`,
    description: `By the clock of the xdscope host, shown in ${zone}`,
    widthPx: 124,
    align: 'right',
    cell: ({ at }) => <EventTime iso={at} />,
  };
}
const clientColumn: Column = {
  id: 'client',
  header: 'Client',
  widthPx: 150,
  cell: ({ nodeId, clientId, sourceId, ofRemovedFile }) =>
    clientId === null ? (
      <NameText name={sourceId} maxChars={22} className="text-muted" />
    ) : (
      <span className="flex min-w-0 items-center gap-1.5">
        <NameText name={nodeId ?? clientId} maxChars={22} />
        {ofRemovedFile && (
          <span className="shrink-0 text-muted" title="From a file that has been removed">
            file removed
          </span>
        )}
      </span>
    ),
};
const typeColumn: Column = {
  id: 'type',
  header: 'Type',
  widthPx: 70,
  cell: ({ service, typeUrl }) =>
    service === null ? <NotReported why="of no type" /> : <span title={typeUrl ?? ''}>{service}</span>,
};
const kindColumn: Column = {
  id: 'kind',
  header: 'Kind',
  widthPx: 136,
  cell: ({ kind, repeats }) => (
    <span className="inline-flex items-center gap-1.5">
      <EventMark kind={kind} />
      {repeats > 1 && (
        <span className="text-[0.8571em] text-muted" title={`${formatCount(repeats)} equal events`}>
          ×{formatCount(repeats)}
        </span>
      )}
    </span>
  ),
};
const versionColumn: Column = {
  id: 'version',
  header: 'Version',
  description: 'version_info; of a NACK, the version that was rejected',
  widthPx: 110,
  cell: ({ versionInfo }) =>
    versionInfo === null ? <NotReported /> : <NameText name={versionInfo} maxChars={16} />,
};
const nonceColumn: Column = {
  id: 'nonce',
  header: 'Nonce',
  description: 'Pairs a response with its ACK or NACK',
  widthPx: 100,
  cell: ({ nonce }) =>
    nonce === null || nonce === '' ? <NotReported /> : <NameText name={nonce} maxChars={14} />,
};
const namesColumn: Column = {
  id: 'names',
  header: 'Names',
  description: 'Resources that were requested, received, changed or rejected',
  widthPx: 170,
  cell: ({ names: [first], nameCount, sourceKind }) =>
    first === undefined ? (
      <NotReported why="no names" />
    ) : (
      <span className="flex min-w-0 items-center gap-1.5">
        {isWholeType(sourceKind, first) ? (
          <span className="text-muted">(all resources)</span>
        ) : (
          <NameText name={first} maxChars={26} />
        )}
        {nameCount > 1 && <span className="shrink-0 text-muted">+{formatCount(nameCount - 1)}</span>}
      </span>
    ),
};
const sizeColumn: Column = {
  id: 'size',
  header: 'Size',
  widthPx: 82,
  align: 'right',
  cell: ({ sizeBytes }) => <BytesText sizeBytes={sizeBytes} />,
};
const tookColumn: Column = {
  id: 'took',
  header: 'Latency',
  description: 'A response: since its request. An ACK or NACK: since its response',
  widthPx: 78,
  align: 'right',
  cell: ({ tookMs }) =>
    tookMs === null ? <NotReported /> : <span title={`${tookMs} ms`}>{formatDuration(tookMs)}</span>,
};
const sourceColumn: Column = {
  id: 'source',
  header: 'Source',
  description: 'The source that reported the event; several sources may report the same one',
  widthPx: 172,
  cell: ({ sourceId }) => <NameText name={sourceId} maxChars={22} className="text-muted" />,
};
const textColumn: Column = {
  id: 'text',
  header: 'Event',
  widthPx: 220,
  grows: true,
  cell: ({ text, isTrouble }) => (
    <span className={`block min-w-0 truncate ${isTrouble ? 'text-nacked' : ''}`} title={text}>
      {text}
    </span>
  ),
};
