'use client';

import { type KeyboardEvent, type ReactNode, useContext, useEffect, useId, useRef, useState } from 'react';
import {
  Button,
  ComboBox,
  ComboBoxStateContext,
  Input,
  ListBox,
  ListBoxItem,
  Popover,
} from 'react-aria-components';
import { Icon } from '@/app/_components/icon';

export interface Choice {
  readonly id: string;
  /** Searched, and shown in the field. */
  readonly text: string;
  readonly hint?: ReactNode;
}

interface ChoiceBoxProps {
  readonly label: string;
  /** The visible label in front of the field. */
  readonly word: string;
  readonly current: string;
  readonly choices: readonly Choice[];
  /** Called with the typed text if the choices are not complete. */
  readonly onSearch?: (text: string) => void;
  readonly placeholder: string;
  readonly onChoose: (id: string) => void;
  /** Called on Enter for text that is no choice; returns the error, '' if there is none. */
  readonly onType: (text: string) => string;
  readonly className?: string;
}

const mostShown = 50;

/** A combobox: one of many choices, found by typing, or free text confirmed with Enter. */
export function ChoiceBox(props: ChoiceBoxProps) {
  const { label, word, current, choices, placeholder, onSearch, onChoose, onType, className = '' } = props;
  const [text, setText] = useState(current);
  const [problem, setProblem] = useState('');
  const problemId = useId();
  const input = useRef<HTMLInputElement>(null);
  /** A closing dialog restores focus, which would open the list: it stays closed until the next user action. */
  const [isResting, setResting] = useState(false);
  useEffect(() => {
    setText(current);
    setProblem('');
  }, [current]);
  const wanted = text === current ? '' : text.trim().toLowerCase();
  const found = choices.filter((choice) => choice.text.toLowerCase().includes(wanted));

  function take(event: KeyboardEvent<HTMLInputElement>) {
    setResting(false);
    const isOnItem = (event.currentTarget.getAttribute('aria-activedescendant') ?? '') !== '';
    if (event.key !== 'Enter' || isOnItem || text === current) return;
    const [only, ...others] = found;
    if (only !== undefined && others.length === 0) {
      choose(only.id);
      return;
    }
    const rejection = onType(text);
    setProblem(rejection);
    if (rejection === '') input.current?.blur();
  }

  /**
   * The new choice is shown at once. The field loses focus, because a change of the text in a focused field
   * would open the list.
   */
  function choose(id: string) {
    setText(current);
    input.current?.blur();
    setResting(input.current?.closest('[role=dialog]') !== null);
    onChoose(id);
  }

  return (
    <div
      className={`flex min-w-0 flex-col gap-1 ${className}`}
      onPointerDownCapture={() => setResting(false)}
    >
      <ComboBox
        aria-label={label}
        allowsCustomValue
        menuTrigger={isResting ? 'manual' : 'focus'}
        items={found.slice(0, mostShown)}
        inputValue={text}
        onInputChange={(next) => {
          setText(next);
          setProblem('');
          onSearch?.(next === current ? '' : next);
        }}
        selectedKey={null}
        onSelectionChange={(key) => {
          if (key !== null) choose(String(key));
        }}
      >
        {isResting && <ClosedList />}
        <div className="flex h-8 items-center gap-2 rounded-md border border-line-strong bg-raised pr-1 pl-2.5 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-focus">
          <span className="note">{word}</span>
          <Input
            ref={input}
            placeholder={placeholder}
            autoComplete="off"
            spellCheck={false}
            title={text}
            aria-describedby={problem === '' ? undefined : problemId}
            aria-invalid={problem !== '' || undefined}
            onKeyDownCapture={take}
            className="min-w-0 flex-1 bg-transparent font-mono text-medium text-ellipsis outline-none placeholder:text-muted"
          />
          <Button
            aria-label={`Show the choices of ${label}`}
            className="inline-flex size-6 items-center justify-center rounded text-muted hover:bg-hover hover:text-text"
          >
            <Icon name="chevron-down" sizePx={12} />
          </Button>
        </div>
        <Popover className="w-(--trigger-width) min-w-64 overflow-hidden card shadow-[0_8px_24px_var(--shadow)]">
          <ListBox<Choice>
            className="max-h-80 overflow-y-auto p-1 outline-none"
            renderEmptyState={() => (
              <p className="px-2 py-1.5 text-medium text-muted">
                No match. Press Enter to use the typed text.
              </p>
            )}
          >
            {({ id, text: name, hint }) => (
              <ListBoxItem
                id={id}
                textValue={name}
                className="flex min-h-8 cursor-pointer items-center gap-3 rounded px-2 outline-none data-[focused]:bg-hover"
              >
                <span className="min-w-0 flex-1 truncate font-mono text-medium" title={name}>
                  {name}
                </span>
                {hint !== undefined && <span className="note whitespace-nowrap">{hint}</span>}
              </ListBoxItem>
            )}
          </ListBox>
          {found.length > mostShown && (
            <p className="border-t border-line px-3 py-1.5 note">
              {onSearch === undefined ? `${found.length - mostShown} more` : 'There are more'}: type part of
              the name
            </p>
          )}
        </Popover>
      </ComboBox>
      {problem !== '' && (
        <p id={problemId} role="alert" className="text-small break-words text-nacked">
          {problem}
        </p>
      )}
    </div>
  );
}

/** Closes the list after a choice of the current value, which changes nothing else. */
function ClosedList() {
  const list = useContext(ComboBoxStateContext);
  useEffect(() => {
    if (list?.isOpen === true) list.close();
  }, [list]);
  return null;
}
