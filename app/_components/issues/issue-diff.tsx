'use client';

import { useState } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import { DiffPreview } from '../diff-preview';
import { ErrorLine } from '../error-line';

/** The changed lines from the payload in use to the rejected one, below a button that reads them. */
export function IssueDiff({ groupId }: { readonly groupId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="flex flex-col items-start gap-1.5">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="min-h-7 text-small link-quiet"
      >
        {isOpen ? 'Hide the change' : 'Show the change'}
      </button>
      {isOpen && <Change groupId={groupId} />}
    </div>
  );
}

function Change({ groupId }: { readonly groupId: string }) {
  const { data, error } = useQuestion('nacks/{groupId}', { groupId });
  if (error !== null && data === undefined) return <ErrorLine error={error} />;
  if (data === undefined) return <p className="note">Reading the payloads …</p>;
  const { payload, before, group, absence } = data;
  if (payload === null) return <p className="note">{absence}</p>;
  if (before?.hash == null) return <p className="note">No payload was in use before the rejected one.</p>;
  return (
    <div className="w-full rounded-md border border-line bg-sunken px-3 py-2">
      <DiffPreview
        name={group.name}
        hash={payload.hash}
        before={{ hash: before.hash, version: before.versionInfo }}
        others={0}
      />
    </div>
  );
}
