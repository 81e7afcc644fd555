'use client';

import { useCommand } from '@/app/_ask/use-command';
import { Button } from '@/app/_components/button';
import { ErrorLine } from '@/app/_components/error-line';
import type { Source } from '@/lib/views/sources/schema';
import { formOf } from '@/lib/views/sources/source-kind-facts';

type OfferedKindProps = Pick<Source, 'id' | 'target' | 'label' | 'origin'> & {
  readonly servedKind: NonNullable<Source['servedKind']>;
};

/** Adds the target as a source of the kind that it answers as. A source that was added in the browser is replaced. */
export function OfferedKind({ id, target, label, origin, servedKind: kind }: OfferedKindProps) {
  const add = useCommand('POST sources');
  const remove = useCommand('DELETE sources/{id}');
  const isReplaced = origin === 'browser';
  const named = label === target ? {} : { label };
  const { label: name } = formOf(kind);
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button
        isPending={add.isPending || remove.isPending}
        onPress={() =>
          add.mutate({ kind, target, ...named }, { onSuccess: () => isReplaced && remove.mutate({ id }) })
        }
      >
        {isReplaced ? `Replace it with a source of kind ${name}` : `Add a source of kind ${name}`}
      </Button>
      <ErrorLine error={add.error ?? remove.error} />
    </div>
  );
}
