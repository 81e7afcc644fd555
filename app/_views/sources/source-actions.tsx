'use client';

import type { FormEvent } from 'react';
import { useState } from 'react';
import { useCommand } from '@/app/_ask/use-command';
import { Button } from '@/app/_components/button';
import { Dialog } from '@/app/_components/dialog';
import { ErrorLine } from '@/app/_components/error-line';
import { ApiError } from '@/app/_hooks/api-error';
import type { ProbeSettingsShown, Source } from '@/lib/views/sources/schema';
import { ModeFields } from './mode-fields';

/** Only sources that were added in the browser can be removed; those of a collector are changed there. */
export function SourceActions({ source }: { readonly source: Source }) {
  const pause = useCommand('PATCH sources/{id}');
  const remove = useCommand('DELETE sources/{id}');
  const [isAsking, setAsking] = useState(false);
  const [isChanging, setChanging] = useState(false);
  return (
    <div className="inline-flex flex-col items-end gap-1">
      <div className="flex flex-wrap justify-end gap-1">
        {source.origin !== 'collector' && (
          <Button
            tone="quiet"
            icon={source.paused ? 'play' : 'pause'}
            isPending={pause.isPending}
            onPress={() => pause.mutate({ id: source.id, paused: !source.paused })}
            label={`${source.paused ? 'Resume' : 'Pause'} ${source.label}`}
          >
            {source.paused ? 'Resume' : 'Pause'}
          </Button>
        )}
        {source.origin === 'browser' && source.settings !== undefined && (
          <Button tone="quiet" onPress={() => setChanging(true)} label={`Edit ${source.label}`}>
            Edit
          </Button>
        )}
        {source.origin === 'browser' && (
          <Button tone="quiet" icon="trash" onPress={() => setAsking(true)} label={`Remove ${source.label}`}>
            Remove
          </Button>
        )}
      </div>
      <ErrorLine error={pause.error ?? remove.error} className="max-w-72" />
      {source.settings !== undefined && (
        <ChangeSourceDialog
          source={source}
          settings={source.settings}
          isOpen={isChanging}
          onClose={() => setChanging(false)}
        />
      )}
      <Dialog title="Remove this source?" isOpen={isAsking} onClose={() => setAsking(false)}>
        {source.kind === 'file' ? (
          <p>
            This removes the clients and pins of <span className="font-mono break-all">{source.target}</span>{' '}
            from all pages. Recorded data stays in the log until its retention ends.
          </p>
        ) : (
          <p>
            xdscope disconnects from <span className="font-mono break-all">{source.target}</span>. Recorded
            data is kept.
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onPress={() => setAsking(false)}>Cancel</Button>
          <Button
            tone="danger"
            isPending={remove.isPending}
            onPress={() => remove.mutate({ id: source.id }, { onSuccess: () => setAsking(false) })}
          >
            Remove
          </Button>
        </div>
      </Dialog>
    </div>
  );
}

interface ChangeSourceDialogProps {
  readonly source: Source;
  readonly settings: ProbeSettingsShown;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function ChangeSourceDialog({ source, settings, isOpen, onClose }: ChangeSourceDialogProps) {
  return (
    <Dialog title="Edit probe" isOpen={isOpen} onClose={onClose} widthPx={560}>
      <ChangeSourceForm source={source} settings={settings} onDone={onClose} />
    </Dialog>
  );
}

interface ChangeSourceFormProps {
  readonly source: Source;
  readonly settings: ProbeSettingsShown;
  readonly onDone: () => void;
}

function ChangeSourceForm({ source, settings, onDone }: ChangeSourceFormProps) {
  const change = useCommand('PATCH sources/{id}');
  const { mode, profile, errorModel } = settings;
  const [chosen, setChosen] = useState({ mode, profile, errorModel });
  const field = change.error instanceof ApiError ? change.error.field : undefined;

  function submit(event: FormEvent) {
    event.preventDefault();
    change.mutate({ id: source.id, ...chosen }, { onSuccess: onDone });
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-muted">
        The probe at <span className="font-mono break-all text-text">{source.target}</span> reconnects and
        resubscribes.
      </p>
      <ModeFields
        value={chosen}
        onChange={(part) => setChosen((before) => ({ ...before, ...part }))}
        errorAt={(each) => (each === field ? change.error?.message : undefined)}
      />
      {field === undefined && <ErrorLine error={change.error} />}
      <div className="flex justify-end gap-2">
        <Button onPress={onDone}>Cancel</Button>
        <Button type="submit" tone="accent" isPending={change.isPending}>
          Apply
        </Button>
      </div>
    </form>
  );
}
