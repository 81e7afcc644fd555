'use client';

import type { ComponentProps, ReactNode } from 'react';
import { Pager } from './pager';
import { SearchField } from './search-field';
import { SegmentedChoice } from './segmented-choice';

interface ListToolbarProps<Choice extends string> {
  readonly choice?: ComponentProps<typeof SegmentedChoice<Choice>>;
  readonly search: ComponentProps<typeof SearchField>;
  /** The numbers of listed items; absent until they are known. */
  readonly counts?: ReactNode;
  /** Absent until the total is known. */
  readonly pager?: ComponentProps<typeof Pager> | undefined;
  readonly className?: string;
}

/** The controls of a list: a choice, a search, the counts and the pages. */
export function ListToolbar<Choice extends string>({
  choice,
  search,
  counts,
  pager,
  className = 'border-b border-line px-4 py-2.5',
}: ListToolbarProps<Choice>) {
  return (
    <fieldset
      aria-label="What is listed"
      className={`flex flex-wrap items-center gap-x-4 gap-y-2 ${className}`}
    >
      {choice !== undefined && <SegmentedChoice {...choice} />}
      <SearchField {...search} />
      {counts}
      {pager !== undefined && <Pager {...pager} />}
    </fieldset>
  );
}
