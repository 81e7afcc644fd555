'use client';

import { type FormEvent, useState } from 'react';
import { ErrorLine } from '@/app/_components/error-line';
import type { NewReplay } from '@/lib/api/replays';
import { Button } from '../../_components/button';
import { ClientChooser } from '../../_components/client-chooser';
import { Dialog } from '../../_components/dialog';
import { SelectField } from '../../_components/select-field';
import { TextField } from '../../_components/text-field';
import { useFoundClients } from '../../_hooks/fleet-queries';
import { useStartReplay } from '../../_hooks/mutations';
import { StreamField } from './stream-field';

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
