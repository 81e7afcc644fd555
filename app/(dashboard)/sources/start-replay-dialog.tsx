'use client';

import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { browserTimeZone } from '@/app/_components/browser-time-zone';
import { ErrorLine } from '@/app/_components/error-line';
import { SelectField } from '@/app/_components/select-field';
import { clientStreamsQuery } from '@/app/_hooks/client-streams-query';
import type { HistoryEvent } from '@/lib/api/history';
import type { NewReplay } from '@/lib/api/replays';
import { formatCounted } from '@/lib/format/count';
import { formatExactTime } from '@/lib/format/exact-time';
import { loadReportMethod } from '@/lib/xds/load-report-method';
import { Button } from '../../_components/button';
import { ClientChooser } from '../../_components/client-chooser';
import { Dialog } from '../../_components/dialog';
import { TextField } from '../../_components/text-field';
import { useFoundClients } from '../../_hooks/fleet-queries';
import { useStartReplay } from '../../_hooks/mutations';

const modes = [
  {
    value: 'stream',
    label: 'Its streams',
    text: 'Every response that it was sent, in order: by a tap or our own probe.',
  },
  {
    value: 'snapshot',
    label: 'What it held',
    text: 'Its resources at one moment; what it had rejected is sent after them.',
  },
  { value: 'permalink', label: 'A permalink', text: 'What a permalink froze.' },
] as const;
type Mode = (typeof modes)[number]['value'];

/** Whose past, and which part of it. */
export function StartReplayDialog({ onClose }: { readonly onClose: () => void }) {
  const { data: known, error: unread } = useFoundClients('', 1);
  const clients = known ?? [];
  const start = useStartReplay();
  const [clientId, setClientId] = useState('');
  const [mode, setMode] = useState<Mode>('stream');
  const [streamId, setStreamId] = useState('');
  const [at, setAt] = useState('');
  const [link, setLink] = useState('');
  const chosen = clientId === '' ? (clients[0]?.id ?? '') : clientId;

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
            label="Of client"
            word="Of client"
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
              ? 'No client is known yet: add a source, or import a recording.'
              : unread === null
                ? 'The clients are being read.'
                : `The clients could not be read: ${unread.message}`}
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
            isDisabled={mode !== 'permalink' && chosen === ''}
          >
            Serve it
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
  if (mode === 'snapshot') return { mode, clientId, ...(at.trim() !== '' && { at: at.trim() }) };
  const permalinkId =
    /([^/?#]+)(?:\/\w+)?\/?(?:[?#].*)?$/.exec(link.trim().replace(/^.*\/p\//, ''))?.[1] ?? link;
  return { mode: 'snapshot', permalinkId };
}

interface StreamFieldProps {
  readonly clientId: string;
  /** Empty: all of them. */
  readonly value: string;
  readonly onChange: (streamId: string) => void;
}

/** All streams of a client on which it was sent resources, or one of them. */
function StreamField({ clientId, value, onChange }: StreamFieldProps) {
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
