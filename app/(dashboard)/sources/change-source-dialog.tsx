'use client';

import { type FormEvent, useState } from 'react';
import { ErrorLine } from '@/app/_components/error-line';
import type { ProbeSettingsShown, Source } from '@/lib/api/schema';
import { useCommand } from '../../_ask/use-command';
import { Button } from '../../_components/button';
import { Dialog } from '../../_components/dialog';
import { ApiError } from '../../_hooks/api-error';
import { ModeFields } from './mode-fields';

interface ChangeSourceDialogProps {
  readonly source: Source;
  readonly settings: ProbeSettingsShown;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function ChangeSourceDialog({ source, settings, isOpen, onClose }: ChangeSourceDialogProps) {
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
