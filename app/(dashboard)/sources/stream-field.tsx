'use client';

import { useQuery } from '@tanstack/react-query';
import type { HistoryEvent } from '@/lib/api/history';
import { formatCounted } from '@/lib/format/count';
import { formatExactTime } from '@/lib/format/exact-time';
import { loadReportMethod } from '@/lib/xds/load-report-method';
import { browserTimeZone } from '../../_components/browser-time-zone';
import { SelectField } from '../../_components/select-field';
import { clientStreamsQuery } from '../../_hooks/client-streams-query';

interface StreamFieldProps {
  readonly clientId: string;
  /** Empty: all of them. */
  readonly value: string;
  readonly onChange: (streamId: string) => void;
}

/** All streams of a client on which it was sent resources, or one of them. */
export function StreamField({ clientId, value, onChange }: StreamFieldProps) {
  const { data, error, isPending } = useQuery(clientStreamsQuery(clientId));
  const streams = data?.items ?? [];
  const isOfLoad = ({ method }: HistoryEvent) => method === loadReportMethod;
  const isEmpty = (stream: HistoryEvent) =>
    !isOfLoad(stream) && data?.answered != null && !data.answered.has(stream.streamId);
  const options = streams.flatMap((stream) =>
    stream.streamId === null || isOfLoad(stream) || isEmpty(stream)
      ? []
      : [
          {
            value: stream.streamId,
            label: `${formatExactTime(Date.parse(stream.at), browserTimeZone())}, ${stream.text}`,
            text: stream.streamId,
          },
        ],
  );
  const ofLoad = streams.filter(isOfLoad).length;
  const empty = streams.filter(isEmpty).length;
  const all = isPending
    ? 'Its streams are being read.'
    : data?.hasMore === true
      ? `One after the other. The newest ${options.length} can be chosen alone.`
      : options.length === 0
        ? 'The log has none of this client that it was sent resources on: what it held can be served.'
        : 'One after the other.';
  const left =
    ofLoad === 0
      ? ''
      : ` ${formatCounted(ofLoad, 'stream')} of load reports ${ofLoad === 1 ? 'is' : 'are'} left out: on ${ofLoad === 1 ? 'it' : 'them'} a client reports, and is sent nothing that could be served again.`;
  const silent =
    empty === 0
      ? ''
      : ` ${formatCounted(empty, 'stream')} on which no response came ${empty === 1 ? 'is' : 'are'} left out, too.`;
  return (
    <SelectField
      label="Which stream"
      value={value}
      options={[{ value: '', label: 'all of them', text: `${all}${left}${silent}` }, ...options]}
      onChange={onChange}
      error={error === null ? '' : error.message}
    />
  );
}
