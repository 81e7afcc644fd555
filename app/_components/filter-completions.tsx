'use client';

import type { FilterCompletion } from '@/lib/filter/complete-filter';

export { completeFilter } from '@/lib/filter/complete-filter';

interface FilterCompletionsProps {
  readonly items: readonly FilterCompletion[];
  /** The chosen one; -1: none. */
  readonly index: number;
  readonly listId: string;
  readonly onInsert: (item: FilterCompletion, input: HTMLInputElement | null) => void;
}

/** The options of a filter field's list. */
export function FilterCompletions({ items, index, listId, onInsert }: FilterCompletionsProps) {
  return items.map((item, place) => (
    // The text field has the focus and the keys.
    <button
      type="button"
      key={item.insert}
      id={`${listId}-${place}`}
      role="option"
      tabIndex={-1}
      aria-selected={place === index}
      // The text field keeps the focus.
      onPointerDown={(event) => event.preventDefault()}
      onClick={(event) =>
        onInsert(item, event.currentTarget.closest('[data-field]')?.querySelector('input') ?? null)
      }
      className={`flex min-h-7 w-full cursor-pointer items-baseline gap-3 px-3 py-1 text-left ${place === index ? 'bg-accent-soft' : 'hover:bg-hover'}`}
    >
      <span className="font-mono text-[0.9286em] whitespace-nowrap">{item.label}</span>
      <span className="min-w-0 text-small text-muted">{item.meaning}</span>
    </button>
  ));
}
