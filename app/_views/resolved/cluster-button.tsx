'use client';

import { NameText } from '@/app/_components/name-text';
import { useClientViewQuery } from '../client/use-client-view-query';
import { resolvedParams } from './search-params';

export function ClusterButton({ name }: { readonly name: string }) {
  const { setQuery } = useClientViewQuery(resolvedParams);
  return (
    <button
      type="button"
      onClick={() => setQuery({ cluster: name, resource: '', body: '', node: '' }, 'push')}
      className="inline-flex min-h-7 max-w-full min-w-0 items-center rounded text-left link-hover"
    >
      <NameText name={name} />
    </button>
  );
}
