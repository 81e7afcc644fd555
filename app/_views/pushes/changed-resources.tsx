'use client';

import { DiffPreview } from '@/app/_components/diff-preview';
import { HoverCard } from '@/app/_components/hover-card';
import { NameText } from '@/app/_components/name-text';
import { formatCount } from '@/lib/format/count';
import type { ConvergencePush } from '@/lib/views/pushes/schema';

/** The resources of a push, with the difference to what a client had before on hover and focus. */
export function ChangedResources({ push }: { readonly push: ConvergencePush }) {
  const { names, nameCount, changes, removed } = push;
  const [first] = nameCount === 0 ? removed : names;
  if (first === undefined) return <span className="text-muted">unchanged</span>;
  const more = Math.max(nameCount, removed.length) - 1;
  const text = (
    <span className="flex min-w-0 items-baseline gap-1">
      <NameText name={first} />
      {nameCount === 0 && <span className="text-muted">deleted</span>}
      {more > 0 && (
        <span className="shrink-0 text-muted" title={`and ${formatCount(more)} more`}>
          +{formatCount(more)}
        </span>
      )}
    </span>
  );
  const changed = changes.filter(({ hash, before }) => before !== null && before.hash !== hash);
  const [shown] = changed;
  if (shown?.before == null) return text;
  return (
    <HoverCard
      label={`What changed in ${shown.name}`}
      card={
        <DiffPreview name={shown.name} hash={shown.hash} before={shown.before} others={changed.length - 1} />
      }
    >
      {text}
    </HoverCard>
  );
}
