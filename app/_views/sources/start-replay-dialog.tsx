'use client';

import { queryOptions, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { historyKey, historyPageSize } from '@/app/_ask/history';
import { fetchAnswer } from '@/app/_ask/question';
import { useCommand } from '@/app/_ask/use-command';
import { useFoundClients } from '@/app/_ask/use-found-clients';
import { Button } from '@/app/_components/button';
import { ClientChooser } from '@/app/_components/client-chooser';
import { Dialog } from '@/app/_components/dialog';
import { ErrorLine } from '@/app/_components/error-line';
import { SelectField } from '@/app/_components/select-field';
import { TextField } from '@/app/_components/text-field';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatCounted } from '@/lib/format/count';
import { formatExactTime } from '@/lib/format/exact-time';
import { findTime } from '@/lib/format/iso-time';
import type { HistoryEvent } from '@/lib/views/history/schema';
import type { NewReplay } from '@/lib/views/recording/replay-schema';
import { loadReportMethod } from '@/lib/xds/load-report-method';

const modes = [
  {
    value: 'stream',
    label: 'Streams',
    text: 'Every recorded response, in order.',
  },
  {
    value: 'snapshot',
    label: 'Snapshot',
    text: 'Its resources at one time, then the resources that it had rejected.',
  },
  { value: 'permalink', label: 'A permalink', text: 'The snapshot of a permalink.' },
] as const;
type Mode = (typeof modes)[number]['value'];

export function StartReplayDialog({ onClose }: { readonly onClose: () => void }) {
  const { data: known, error: unread } = useFoundClients('', 1);
  const clients = known ?? [];
  const start = useCommand('POST replays');
  const [clientId, setClientId] = useState('');
  const [mode, setMode] = useState<Mode>('stream');
  const [streamId, setStreamId] = useState('');
  const [at, setAt] = useState('');
  const [link, setLink] = useState('');
  const chosen = clientId === '' ? (clients[0]?.id ?? '') : clientId;
  const isOdd = mode === 'snapshot' && at.trim() !== '' && findTime(at) === undefined;

  function submit(event: FormEvent) {
    event.preventDefault();
    start.mutate(questionOf(mode, { clientId: chosen, streamId, at, link }), { onSuccess: onClose });
  }

  return (
    <Dialog title="Replay" isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <SelectField label="What" value={mode} options={modes} onChange={setMode} />
        {mode !== 'permalink' && clients.length > 0 && (
          <ClientChooser
            label="Client"
            word="Client"
            clientId={chosen}
            onChange={(next) => {
              setClientId(next);
              setStreamId('');
            }}
          />
        )}
        {mode !== 'permalink' && clients.length === 0 && (
          <p role="status" className="text-muted">
            {known !== undefined
              ? 'No clients yet: add a source, or import a recording.'
              : unread === null
                ? 'Loading the clients.'
                : `Couldn’t load the clients: ${unread.message}`}
          </p>
        )}
        {mode === 'stream' && chosen !== '' && (
          <StreamField clientId={chosen} value={streamId} onChange={setStreamId} />
        )}
        {mode === 'snapshot' && (
          <TextField
            label="At"
            value={at}
            onChange={setAt}
            placeholder="now, or 2026-11-21T11:04:07Z"
            isMono
            error={isOdd ? 'Expected a time such as 2026-11-21T11:04:07Z.' : ''}
          />
        )}
        {mode === 'permalink' && (
          <TextField
            label="Permalink"
            value={link}
            onChange={setLink}
            placeholder="http://…/p/…"
            isMono
            isRequired
          />
        )}
        <ErrorLine error={start.error} />
        <div className="flex justify-end gap-2">
          <Button onPress={onClose}>Cancel</Button>
          <Button
            type="submit"
            tone="accent"
            isPending={start.isPending}
            isDisabled={isOdd || (mode !== 'permalink' && chosen === '')}
          >
            Start
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function questionOf(
  mode: Mode,
  { clientId, streamId, at, link }: Record<'clientId' | 'streamId' | 'at' | 'link', string>,
): NewReplay {
  if (mode === 'stream') return { mode, clientId, ...(streamId !== '' && { streamId }) };
  if (mode === 'snapshot') return { mode, clientId, at: findTime(at) };
  const permalinkId =
    /([^/?#]+)(?:\/\w+)?\/?(?:[?#].*)?$/.exec(link.trim().replace(/^.*\/p\//, ''))?.[1] ?? link;
  return { mode: 'snapshot', permalinkId };
}

interface StreamFieldProps {
  readonly clientId: string;
  /** Empty: all streams. */
  readonly value: string;
  readonly onChange: (streamId: string) => void;
}

function StreamField({ clientId, value, onChange }: StreamFieldProps) {
  const timeZone = useTimeZone();
  const { data, error, isPending } = useQuery(clientStreamsOptions(clientId));
  const streams = data?.items ?? [];
  const isOfLoad = ({ method }: HistoryEvent) => method === loadReportMethod;
  const isEmpty = (stream: HistoryEvent) =>
    !isOfLoad(stream) && data?.answered != null && !data.answered.has(stream.streamId);
  const options = streams.flatMap((stream) =>
    stream.streamId === undefined || isOfLoad(stream) || isEmpty(stream)
      ? []
      : [
          {
            value: stream.streamId,
            label: `${formatExactTime(stream.at, timeZone)}, ${stream.text}`,
            text: stream.streamId,
          },
        ],
  );
  const ofLoad = streams.filter(isOfLoad).length;
  const empty = streams.filter(isEmpty).length;
  const all = isPending
    ? 'Loading the streams.'
    : data?.hasMore === true
      ? `One after another. Only the newest ${options.length} are listed.`
      : options.length === 0
        ? 'No stream with resources is recorded for this client. Replay a snapshot instead.'
        : 'One after another.';
  const left =
    ofLoad === 0
      ? ''
      : ` ${formatCounted(ofLoad, 'stream')} of load reports ${ofLoad === 1 ? 'is' : 'are'} left out, because there is nothing to serve.`;
  const silent =
    empty === 0
      ? ''
      : ` ${formatCounted(empty, 'stream')} without responses ${empty === 1 ? 'is' : 'are'} left out.`;
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

/**
 * The newest streams of a client in the log, as their opening events. `answered`: the ids of streams with a response;
 * null: not known.
 */
function clientStreamsOptions(client: string) {
  return queryOptions({
    queryKey: [...historyKey, 'streams', client],
    queryFn: async ({ signal }) => {
      const asked = { client, kind: ['stream-opened' as const], limit: historyPageSize };
      const page = await fetchAnswer('history', asked, signal);
      const oldest = page.items.at(-1)?.at;
      const responses = {
        client,
        kind: ['response-received' as const],
        ...(oldest && { from: oldest }),
      };
      const timeline = await fetchAnswer('history/timeline', responses, signal);
      return {
        items: page.items,
        hasMore: page.older !== undefined,
        // With too many responses the timeline has counts instead of marks.
        answered: timeline.kind === 'marks' ? new Set(timeline.lanes.map(({ streamId }) => streamId)) : null,
      };
    },
    enabled: client !== '',
  });
}
