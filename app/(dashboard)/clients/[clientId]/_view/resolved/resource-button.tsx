'use client';

import { NameText } from '@/app/_components/name-text';
import type { ResourceKey } from '@/lib/observation/observation';
import { useClientViewQuery } from '../use-client-view-query';

interface ResourceButtonProps {
  /** Opened in the inspector. */
  readonly resource: ResourceKey;
  /** What it is called here; the resource's name if left out. */
  readonly name?: string;
  /** Path of what is meant in it. */
  readonly field?: string;
  readonly maxChars?: number;
}

/** A name that opens its resource. */
export function ResourceButton(props: ResourceButtonProps) {
  const { resource, name = resource.name, field, maxChars = 48 } = props;
  const { openResource } = useClientViewQuery();
  const { typeUrl, name: resourceName } = resource;
  return (
    <button
      type="button"
      onClick={() => openResource({ typeUrl, name: resourceName }, field)}
      className="inline-flex min-h-6 max-w-full min-w-0 items-center rounded text-left hover:text-accent hover:underline"
    >
      <NameText name={name} maxChars={maxChars} />
    </button>
  );
}
