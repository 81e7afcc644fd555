'use client';

import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useListChoice } from '@/app/_hooks/use-list-choice';
import { Icon } from './icon';

interface ComboBoxProps<Item> {
  readonly label: string;
  /** The tooltip of the field, by default its text. */
  readonly title?: string | undefined;
  /** The visible label in front of the field. */
  readonly word: string;
  /** The accessible name of the button that opens the list. */
  readonly buttonLabel: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly placeholder: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly children: (item: Item) => ReactNode;
  /** Shown if there are no items. */
  readonly empty: string;
  /** Shown below the items. */
  readonly more?: string | undefined;
  readonly onChoose: (item: Item) => void;
  /** Enter without a chosen item; returns the error, '' if there is none. */
  readonly onEnter: () => string;
  readonly className?: string;
}

/** A text field with a list of choices (ARIA combobox). The field keeps the focus while the list is open. */
export function ComboBox<Item>(props: ComboBoxProps<Item>) {
  const { label, word, buttonLabel, text, onText, placeholder, items, className = '' } = props;
  const [isOpen, setOpen] = useState(false);
  const [problem, setProblem] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const { index, setIndex, onArrow } = useListChoice(items.length, -1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  });

  function show(isShown: boolean): void {
    setOpen(isShown);
    setIndex(-1);
  }
  function choose(item: Item): void {
    show(false);
    setProblem('');
    input.current?.blur();
    props.onChoose(item);
  }
  function enter(): void {
    const rejection = props.onEnter();
    setProblem(rejection);
    show(false);
    if (rejection === '') input.current?.blur();
  }
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    const chosen = isOpen ? items[index] : undefined;
    if (event.key === 'Tab' && chosen !== undefined) choose(chosen);
    if (event.key === 'ArrowDown' && !isOpen) show(true);
    else if (isOpen && onArrow(event)) return;
    else if (event.key === 'Enter') {
      if (chosen === undefined) enter();
      else choose(chosen);
    } else if (event.key === 'Escape' && isOpen) show(false);
    else return;
    event.preventDefault();
  }

  return (
    <div className={`flex min-w-0 flex-col gap-1 ${className}`}>
      <div className="relative flex h-8 items-center gap-2 rounded-md border border-line-strong bg-raised pr-1 pl-2.5 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-focus">
        <span className="note">{word}</span>
        <input
          ref={input}
          role="combobox"
          aria-label={label}
          aria-expanded={isOpen}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={isOpen && index >= 0 ? `${id}-${index}` : undefined}
          aria-describedby={problem === '' ? undefined : `${id}-problem`}
          aria-invalid={problem !== '' || undefined}
          value={text}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          title={props.title ?? text}
          onChange={(event) => {
            onText(event.target.value);
            setProblem('');
            show(true);
          }}
          onFocus={() => show(true)}
          onClick={() => setOpen(true)}
          onBlur={() => show(false)}
          onKeyDown={onKeyDown}
          className="min-w-0 flex-1 bg-transparent font-mono text-medium text-ellipsis outline-none placeholder:text-muted"
        />
        <button
          type="button"
          tabIndex={-1}
          aria-label={buttonLabel}
          aria-expanded={isOpen}
          // The text field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => {
            input.current?.focus();
            show(!isOpen);
          }}
          className="inline-flex size-6 items-center justify-center rounded text-muted hover:bg-hover hover:text-text"
        >
          <Icon name="chevron-down" sizePx={12} />
        </button>
        <div
          ref={list}
          hidden={!isOpen}
          className="absolute top-full left-0 z-30 mt-1 w-full min-w-64 overflow-hidden card shadow-[0_8px_24px_var(--shadow)]"
        >
          <div id={id} role="listbox" aria-label={label} className="max-h-80 overflow-y-auto p-1">
            {isOpen &&
              items.map((item, at) => (
                <button
                  type="button"
                  tabIndex={-1}
                  key={props.keyOf(item)}
                  id={`${id}-${at}`}
                  role="option"
                  aria-selected={at === index}
                  onPointerDown={(event) => event.preventDefault()}
                  onClick={() => choose(item)}
                  className={`flex min-h-8 w-full cursor-pointer items-center gap-3 rounded px-2 text-left ${at === index ? 'bg-hover' : 'hover:bg-hover'}`}
                >
                  {props.children(item)}
                </button>
              ))}
          </div>
          {items.length === 0 && <p className="px-3 py-1.5 text-medium text-muted">{props.empty}</p>}
          {props.more !== undefined && <p className="border-t border-line px-3 py-1.5 note">{props.more}</p>}
        </div>
      </div>
      {problem !== '' && (
        <p id={`${id}-problem`} role="alert" className="text-small break-words text-nacked">
          {problem}
        </p>
      )}
    </div>
  );
}
