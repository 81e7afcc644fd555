'use client';

import { NameText } from '@/app/_components/name-text';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { useClientViewQuery } from '../client/use-client-view-query';

interface ResourceButtonProps {
  /** The resource to open in the inspector. */
  readonly resource: ResourceKey;
  /** The displayed text; by default the resource's name. */
  readonly name?: string;
  readonly field?: string;
}

export function ResourceButton(props: ResourceButtonProps) {
  const { resource, name = resource.name, field } = props;
  const { openResource } = useClientViewQuery();
  const { typeUrl, name: resourceName } = resource;
  return (
    <button
      type="button"
      onClick={() => openResource({ typeUrl, name: resourceName }, field)}
      className="inline-flex min-h-7 max-w-full min-w-0 items-center rounded text-left link-hover"
    >
      <NameText name={name} />
    </button>
  );
}
