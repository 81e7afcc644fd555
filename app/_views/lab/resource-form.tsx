'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import { useCommand } from '@/app/_ask/use-command';
import { Button } from '@/app/_components/button';
import { NameText } from '@/app/_components/name-text';
import { TextField } from '@/app/_components/text-field';
import { messageOf } from '@/lib/format/message-of';
import type { LabResource } from '@/lib/views/lab/schema';
import { CDS, formatResourceType, resourceTypes } from '@/lib/xds/resource-type';

/** CodeMirror is half of the page's size, so it is loaded on first use. */
const JsonEditor = dynamic(() => import('./json-editor').then((module) => module.JsonEditor), {
  ssr: false,
  loading: () => <div className="h-full bg-sunken" />,
});

interface ResourceFormProps {
  /** null: a new resource. */
  readonly resource: LabResource | null;
  readonly onDone: () => void;
}

export function ResourceForm({ resource, onDone }: ResourceFormProps) {
  const set = useCommand('PUT lab/resources');
  const remove = useCommand('DELETE lab/resources');
  const [typeUrl, setTypeUrl] = useState(resource?.typeUrl ?? CDS.typeUrl);
  const [name, setName] = useState(resource?.name ?? '');
  const [text, setText] = useState(() => JSON.stringify(resource?.resource ?? { name: '' }, null, 2));
  const parsed = parseJson(text);
  const failure = set.error ?? remove.error;

  return (
    <div className="flex min-h-0 flex-col gap-3">
      {resource === null ? (
        <div className="grid gap-3 sm:grid-cols-[12rem_minmax(0,1fr)]">
          <label className="flex flex-col gap-1">
            <span className="note font-medium">Type</span>
            <select
              value={typeUrl}
              onChange={(event) => setTypeUrl(event.target.value)}
              className="h-8 rounded-md border border-line-strong bg-raised px-2"
            >
              {resourceTypes.map((type) => (
                <option key={type.typeUrl} value={type.typeUrl}>
                  {type.service}: {type.noun}
                </option>
              ))}
            </select>
          </label>
          <TextField label="Name" value={name} onChange={setName} isMono isRequired />
        </div>
      ) : (
        <p className="flex items-center gap-2">
          <span className="text-muted">{formatResourceType(resource.typeUrl)}</span>
          <NameText name={resource.name} copy />
        </p>
      )}
      <div className="h-[min(52vh,28rem)] overflow-hidden rounded-md border border-line-strong">
        <JsonEditor initialText={text} label="The resource as proto3 JSON" onChange={setText} />
      </div>
      <p role="status" className="min-h-5 text-small break-words whitespace-pre-wrap text-nacked">
        {parsed.problem !== '' ? `Invalid JSON: ${parsed.problem}` : (failure?.message ?? '')}
      </p>
      <div className="flex justify-end gap-2">
        {resource !== null && (
          <Button
            tone="danger"
            icon="trash"
            className="mr-auto"
            isPending={remove.isPending}
            onPress={() =>
              remove.mutate({ typeUrl: resource.typeUrl, name: resource.name }, { onSuccess: onDone })
            }
          >
            Delete
          </Button>
        )}
        <Button onPress={onDone}>Cancel</Button>
        <Button
          tone="accent"
          isPending={set.isPending}
          isDisabled={parsed.problem !== '' || name.trim() === ''}
          onPress={() => set.mutate({ typeUrl, name, resource: parsed.value }, { onSuccess: onDone })}
        >
          Apply
        </Button>
      </div>
    </div>
  );
}

function parseJson(text: string): { readonly value: unknown; readonly problem: string } {
  try {
    return { value: JSON.parse(text), problem: '' };
  } catch (error) {
    return { value: undefined, problem: messageOf(error) };
  }
}
