'use client';

import { ErrorLine } from '@/app/_components/error-line';
import type { DescriptorSet } from '@/lib/api/descriptor-sets';
import { formatCounted } from '@/lib/format/count';
import { Button } from '../../_components/button';
import { BytesText } from '../../_components/bytes-text';
import { useRemoveDescriptorSet } from '../../_hooks/mutations';

/** One descriptor set: what it brought, what was there already. */
export function DescriptorSetItem({ set }: { readonly set: DescriptorSet }) {
  const remove = useRemoveDescriptorSet();
  return (
    <li className="rounded-md border border-line px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3">
        <span className="min-w-0 font-medium break-all">{set.name}</span>
        <span className="text-muted">
          <BytesText sizeBytes={set.sizeBytes} />, {set.origin === 'flag' ? 'by flag' : 'uploaded'}
        </span>
        {set.origin === 'browser' && (
          <Button
            tone="quiet"
            icon="trash"
            className="ml-auto"
            label={`Forget the types of ${set.name}`}
            isPending={remove.isPending}
            onPress={() => remove.mutate(set.id)}
          >
            Forget
          </Button>
        )}
      </div>
      {set.problem !== null && <p className="break-words text-nacked">{set.problem}</p>}
      <ErrorLine error={remove.error} />
      <Names title={formatCounted(set.types.length, 'type')} names={set.types} />
      {set.skipped.length > 0 && (
        <Names
          title={`${set.skipped.length} left out`}
          names={set.skipped.map(({ name, reason }) => `${name}: ${reason}`)}
        />
      )}
    </li>
  );
}

function Names({ title, names }: { readonly title: string; readonly names: readonly string[] }) {
  if (names.length === 0) return <p className="text-muted">{title}</p>;
  return (
    <details className="text-[0.9286rem]">
      <summary className="cursor-pointer text-muted">{title}</summary>
      <ul className="max-h-64 overflow-auto">
        {names.map((name) => (
          <li key={name} className="font-mono text-[0.8571rem] break-all">
            {name}
          </li>
        ))}
      </ul>
    </details>
  );
}
