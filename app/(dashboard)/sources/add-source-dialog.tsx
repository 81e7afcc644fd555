'use client';

import { type FormEvent, useState } from 'react';
import type { NewSource } from '@/lib/api/schema';
import { Button } from '../../_components/button';
import { Dialog } from '../../_components/dialog';
import { TextField } from '../../_components/text-field';
import { useAddSource } from '../../_hooks/mutations';

const kinds: readonly { kind: NewSource['kind']; label: string; text: string }[] = [
  {
    kind: 'csds',
    label: 'CSDS',
    text: 'Ask a client’s admin port, or a control plane, again and again for its status.',
  },
  { kind: 'ads', label: 'ADS', text: 'Subscribe at a control plane with xdscope’s own xDS client.' },
];

interface AddSourceDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function AddSourceDialog({ isOpen, onClose }: AddSourceDialogProps) {
  return (
    <Dialog title="Add a source" isOpen={isOpen} onClose={onClose}>
      <AddSourceForm onDone={onClose} />
    </Dialog>
  );
}

/** Lives as long as the dialog is open, so that each opening begins empty. */
function AddSourceForm({ onDone }: { readonly onDone: () => void }) {
  const add = useAddSource();
  const [kind, setKind] = useState<NewSource['kind']>('csds');
  const [target, setTarget] = useState('');
  const [label, setLabel] = useState('');

  function submit(event: FormEvent) {
    event.preventDefault();
    const named = label.trim() === '' ? {} : { label: label.trim() };
    add.mutate({ kind, target: target.trim(), ...named }, { onSuccess: onDone });
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <fieldset className="grid grid-cols-2 gap-2">
        <legend className="mb-1 text-[0.8571rem] font-medium text-muted">Kind</legend>
        {kinds.map((one) => (
          <label
            key={one.kind}
            className="flex cursor-pointer flex-col gap-0.5 rounded-md border border-line-strong/60 p-2.5 has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-focus"
          >
            <span className="flex items-center gap-2 font-medium">
              <input
                type="radio"
                name="kind"
                checked={kind === one.kind}
                onChange={() => setKind(one.kind)}
                className="accent-accent"
              />
              {one.label}
            </span>
            <span className="text-[0.8571rem] text-muted">{one.text}</span>
          </label>
        ))}
      </fieldset>
      <TextField
        label="Address"
        value={target}
        onChange={(value) => {
          setTarget(value);
          add.reset();
        }}
        placeholder="127.0.0.1:50051"
        description="host:port, plain gRPC"
        error={add.error?.message}
        isRequired
        isMono
        autoFocus
      />
      <TextField label="Name (optional)" value={label} onChange={setLabel} placeholder="checkout, canary" />
      <div className="flex justify-end gap-2">
        <Button onPress={onDone}>Cancel</Button>
        <Button type="submit" tone="accent" isPending={add.isPending} isDisabled={target.trim() === ''}>
          Add
        </Button>
      </div>
    </form>
  );
}
