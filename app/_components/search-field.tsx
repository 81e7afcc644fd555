'use client';

import { type ComponentProps, type ReactNode, useEffect, useId, useRef } from 'react';
import { Icon } from './icon';
import { isTyping } from './palette/is-typing';

export interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Enter; with Shift, `isBack`. */
  readonly onEnter?: (isBack: boolean) => void;
  readonly placeholder?: string;
  /** The parts of the text that are not a valid filter. */
  readonly problem?: string;
  /** True if the key F focuses this field, which is so for at most one field of a page. */
  readonly hasShortcut?: boolean;
  readonly className?: string;
  /** The field has a list of choices (ARIA combobox), which gets its keys first. */
  readonly combobox?: { readonly input: ComponentProps<'input'>; readonly list: ReactNode };
}

/** A field for a filter or a search on the page. F focuses it, Escape clears it. */
export function SearchField({
  label,
  value,
  onChange,
  onEnter,
  placeholder,
  problem,
  hasShortcut = true,
  className = '',
  combobox,
}: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const problemId = useId();
  const isWrong = problem !== undefined && problem !== '';

  useEffect(() => {
    if (!hasShortcut) return;
    const focus = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'f' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.defaultPrevented || isTyping(event.target)) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, [hasShortcut]);

  return (
    <div data-field className={`relative flex min-w-0 flex-col gap-1 ${className}`}>
      <div
        className={`flex h-8 items-center gap-2 rounded-md border bg-raised px-2.5 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-focus ${
          isWrong ? 'border-timeout' : 'border-line-strong'
        }`}
      >
        <span className="text-muted">
          <Icon name="search" />
        </span>
        <input
          ref={input}
          type={combobox === undefined ? 'search' : 'text'}
          aria-label={label}
          aria-describedby={isWrong ? problemId : undefined}
          aria-keyshortcuts={hasShortcut ? 'F' : undefined}
          value={value}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
          {...combobox?.input}
          onKeyDown={(event) => {
            combobox?.input.onKeyDown?.(event);
            if (event.defaultPrevented) return;
            if (event.key === 'Enter') onEnter?.(event.shiftKey);
            if (event.key !== 'Escape') return;
            if (value === '') event.currentTarget.blur();
            onChange('');
          }}
          className="min-w-0 flex-1 bg-transparent outline-none placeholder:text-muted [&::-webkit-search-cancel-button]:hidden"
        />
        {value === '' && hasShortcut && (
          <kbd className="hidden rounded border border-line px-1 text-tiny text-muted md:inline">F</kbd>
        )}
        {value !== '' && (
          <button
            type="button"
            aria-label="Clear the filter"
            onClick={() => onChange('')}
            className="inline-flex size-6 items-center justify-center rounded text-muted hover:bg-hover hover:text-text"
          >
            <Icon name="close" sizePx={12} />
          </button>
        )}
      </div>
      {combobox?.list}
      {isWrong && (
        <p id={problemId} role="status" className="text-small break-words text-timeout">
          {problem}
        </p>
      )}
    </div>
  );
}
