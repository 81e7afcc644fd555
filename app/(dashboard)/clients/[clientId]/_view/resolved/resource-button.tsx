'use client';

import { NameText } from '@/app/_components/name-text';
import type { ResourceKey } from '@/lib/observation/observation';
import { useClientViewQuery } from '../use-client-view-query';

interface ResourceButtonProps {
  /** Opened in the inspector. */
  readonly resource: ResourceKey;
  /** What it is called here; the resource's name if left out. */
  readonly name?: string;
  readonly maxChars?: number;
}

/** A name that opens its resource. */
export function ResourceButton({ resource, name = resource.name, maxChars = 48 }: ResourceButtonProps) {
  const { openResource } = useClientViewQuery();
  const { typeUrl, name: resourceName } = resource;
  return (
    <button
      type="button"
      onClick={() => openResource({ typeUrl, name: resourceName })}
      className="inline-flex min-h-6 max-w-full min-w-0 items-center rounded text-left hover:text-accent hover:underline"
    >
      <NameText name={name} maxChars={maxChars} />
    </button>
  );
}
