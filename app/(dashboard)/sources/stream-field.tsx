'use client';

import { useQuery } from '@tanstack/react-query';
import { SelectField } from '../../_components/select-field';
import { clientStreamsQuery } from '../../_hooks/client-streams-query';

interface StreamFieldProps {
  readonly clientId: string;
  /** Empty: all of them. */
  readonly value: string;
  readonly onChange: (streamId: string) => void;
}

/** All streams of a client, or one of them. */
export function StreamField({ clientId, value, onChange }: StreamFieldProps) {
  const { data, error, isPending } = useQuery(clientStreamsQuery(clientId));
  const options = (data?.items ?? []).flatMap(({ at, streamId, text }) =>
    streamId === null ? [] : [{ value: streamId, label: `${at}, ${text}`, text: streamId }],
  );
  const all = isPending
    ? 'Its streams are being read.'
    : data?.hasMore === true
      ? `One after the other. The newest ${options.length} can be chosen alone.`
      : 'One after the other.';
  return (
    <SelectField
      label="Which stream"
      value={value}
      options={[{ value: '', label: 'all of them', text: all }, ...options]}
      onChange={onChange}
      error={error === null ? '' : error.message}
    />
  );
}
