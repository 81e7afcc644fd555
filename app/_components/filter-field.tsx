'use client';

import { type KeyboardEvent, type SyntheticEvent, useEffect, useId, useState } from 'react';
import { useListChoice } from '@/app/_hooks/use-list-choice';
import type { CompletionOptions, FilterCompletion } from '@/lib/filter/complete-filter';
import { type FilterGrammar, formatFilterProblem, parseFilter } from '@/lib/filter/parse-filter';
import type * as Completing from './filter-completions';
import { loadOnInput } from './load-on-input';
import { SearchField, type SearchFieldProps } from './search-field';

interface FilterFieldProps extends Omit<SearchFieldProps, 'problem' | 'combobox'>, CompletionOptions {
  readonly grammar: FilterGrammar;
}

/** A field for a filter in the common grammar: it completes fields, operators and values, and states problems. */
export function FilterField({ grammar, valuesOf, keys, ...field }: FilterFieldProps) {
  const { value, onChange } = field;
  const [isOpen, setOpen] = useState(false);
  const [caret, setCaret] = useState(value.length);
  const listId = useId();
  const at = Math.min(caret, value.length);
  const completing = useCompleting();
  const completions = isOpen
    ? completing?.completeFilter(value, at, grammar, { ...(valuesOf && { valuesOf }), ...(keys && { keys }) })
    : undefined;
  const { from, to, items } = completions ?? { from: at, to: at, items: [] };
  const { index, setIndex, onArrow } = useListChoice(items.length, -1);
  // A part that is being typed is not complete.
  const problems = parseFilter(value, grammar).problems.filter(
    (problem) => !(isOpen && problem.from <= at && at <= problem.to),
  );

  function insert({ insert: text, kind }: FilterCompletion, input: HTMLInputElement | null): void {
    onChange(value.slice(0, from) + text + value.slice(to));
    const end = from + text.length;
    setCaret(end);
    setIndex(-1);
    setOpen(kind !== 'value');
    // The caret is set after the new value is rendered.
    requestAnimationFrame(() => input?.setSelectionRange(end, end));
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    if (event.key === 'ArrowDown' && !isOpen) {
      setOpen(true);
      event.preventDefault();
      return;
    }
    if (isOpen && onArrow(event)) return;
    const chosen = items[index];
    if (event.key === 'Enter' && chosen !== undefined) insert(chosen, event.currentTarget);
    else if (event.key === 'Enter') {
      setOpen(false);
      field.onEnter?.(event.shiftKey);
    } else if (event.key === 'Escape' && items.length > 0) setOpen(false);
    else return;
    event.preventDefault();
  }

  return (
    <SearchField
      {...field}
      onChange={(text) => {
        onChange(text);
        setIndex(-1);
        setOpen(true);
      }}
      problem={problems.map((problem) => formatFilterProblem(value, problem)).join('; ')}
      combobox={{
        input: {
          role: 'combobox',
          'aria-expanded': items.length > 0,
          'aria-controls': listId,
          'aria-autocomplete': 'list',
          'aria-activedescendant': index < 0 ? undefined : `${listId}-${index}`,
          onKeyDown,
          onBlur: () => setOpen(false),
          onInput: (event) => setCaret(event.currentTarget.selectionStart ?? value.length),
          onSelect: (event: SyntheticEvent<HTMLInputElement>) =>
            setCaret(event.currentTarget.selectionStart ?? value.length),
        },
        list: (
          <div
            id={listId}
            role="listbox"
            aria-label="Completions"
            hidden={items.length === 0}
            className="absolute top-full left-0 z-30 mt-1 max-h-72 w-max max-w-[min(32rem,90vw)] min-w-full overflow-y-auto rounded-md border border-line-strong bg-raised py-1 shadow-[0_8px_24px_var(--shadow)]"
          >
            {completing !== undefined && (
              <completing.FilterCompletions {...{ items, index, listId }} onInsert={insert} />
            )}
          </div>
        ),
      }}
    />
  );
}

/** Completions need no code before the first input. */
function useCompleting(): typeof Completing | undefined {
  const [completing, setCompleting] = useState<typeof Completing>();
  useEffect(() => loadOnInput(async () => setCompleting(await import('./filter-completions'))), []);
  return completing;
}
