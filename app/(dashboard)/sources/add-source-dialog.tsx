'use client';

import { type FormEvent, useEffect, useRef, useState } from 'react';
import { formOf } from '@/lib/view-model/sources/source-kind-facts';
import { useCommand } from '../../_ask/use-command';
import { Button } from '../../_components/button';
import { Dialog } from '../../_components/dialog';
import { TextField } from '../../_components/text-field';
import { ApiError } from '../../_hooks/api-error';
import { AdsFields } from './ads-fields';
import { ChoiceCards } from './choice-cards';
import { placeError } from './place-error';
import { ServerFields } from './server-fields';
import { kindChoices } from './source-choices';
import { emptyDraft, readsBootstrap, type SourceDraft, toNewSource } from './source-draft';

interface AddSourceDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function AddSourceDialog({ isOpen, onClose }: AddSourceDialogProps) {
  return (
    <Dialog title="Add a source" isOpen={isOpen} onClose={onClose} widthPx={600}>
      <AddSourceForm onDone={onClose} />
    </Dialog>
  );
}

/** Mounted while the dialog is open, so that each opening starts with an empty form. */
function AddSourceForm({ onDone }: { readonly onDone: () => void }) {
  const add = useCommand('POST sources');
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState(emptyDraft);
  const field = add.error instanceof ApiError ? add.error.field : undefined;
  const { errorAt, elsewhere } = placeError(add.error?.message, field, draft);
  const isEmpty = (readsBootstrap(draft) ? draft.bootstrap : draft.target).trim() === '';

  useEffect(() => {
    if (add.error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [add.error]);

  function change(part: Partial<SourceDraft>) {
    setDraft((before) => ({ ...before, ...part }));
    add.reset();
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    add.mutate(toNewSource(draft), { onSuccess: onDone });
  }

  const parts = { draft, onChange: change, errorAt };
  return (
    <form ref={form} onSubmit={submit} className="flex flex-col gap-4">
      <ChoiceCards
        legend="Kind"
        name="kind"
        value={draft.kind}
        choices={kindChoices}
        onChange={(kind) => change({ kind })}
      />
      <ServerFields {...parts} />
      {formOf(draft.kind).parts.includes('probe') && <AdsFields {...parts} />}
      <TextField
        label="Name (optional)"
        value={draft.label}
        onChange={(label) => change({ label })}
        placeholder="checkout, canary"
        error={errorAt('label')}
      />
      <p role="alert" className="break-words text-nacked empty:hidden">
        {elsewhere}
      </p>
      <div className="flex justify-end gap-2">
        <Button onPress={onDone}>Cancel</Button>
        <Button type="submit" tone="accent" isPending={add.isPending} isDisabled={isEmpty}>
          Add
        </Button>
      </div>
    </form>
  );
}
