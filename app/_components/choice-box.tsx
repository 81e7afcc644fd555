'use client';

import { type ReactNode, useEffect, useState } from 'react';
import { ComboBox } from './combo-box';

export interface Choice {
  readonly id: string;
  /** Searched, and shown in the field. */
  readonly text: string;
  /** The whole name, if the text is a short form: searched as well, and the tooltip. */
  readonly whole?: string;
  readonly hint?: ReactNode;
}

interface ChoiceBoxProps {
  readonly label: string;
  /** The visible label in front of the field. */
  readonly word: string;
  readonly current: string;
  /** The whole name of the current choice. */
  readonly title?: string | undefined;
  readonly choices: readonly Choice[];
  /** Called with the typed text if the choices are not complete. */
  readonly onSearch?: (text: string) => void;
  readonly placeholder: string;
  readonly onChoose: (id: string) => void;
  /** Called on Enter for text that is not a choice; returns the error, '' if there is none. */
  readonly onType: (text: string) => string;
  readonly className?: string;
}

const mostShown = 50;

/** One of many choices, found by typing, or free text confirmed with Enter. */
export function ChoiceBox(props: ChoiceBoxProps) {
  const { label, current, choices, onSearch, onChoose, onType, ...box } = props;
  const [text, setText] = useState(current);
  useEffect(() => setText(current), [current]);
  const wanted = text === current ? '' : text.trim().toLowerCase();
  const found = choices.filter(({ text, whole = '' }) => `${text}\n${whole}`.toLowerCase().includes(wanted));

  /** The field shows the new choice when it is the current one. */
  function choose(id: string) {
    setText(current);
    onChoose(id);
  }

  return (
    <ComboBox
      {...box}
      label={label}
      buttonLabel={`Show the choices of ${label}`}
      text={text}
      onText={(next) => {
        setText(next);
        onSearch?.(next === current ? '' : next);
      }}
      items={found.slice(0, mostShown)}
      keyOf={({ id }) => id}
      empty="No match. Press Enter to use the typed text."
      more={
        found.length > mostShown
          ? `${onSearch === undefined ? `${found.length - mostShown} more` : 'There are more'}: type part of the name`
          : undefined
      }
      onChoose={({ id }) => choose(id)}
      onEnter={() => {
        const [only, ...others] = found;
        if (text === current) return '';
        if (only === undefined || others.length > 0) return onType(text);
        choose(only.id);
        return '';
      }}
    >
      {({ text: name, whole, hint }) => (
        <>
          <span className="min-w-0 flex-1 truncate font-mono text-medium" title={whole ?? name}>
            {name}
          </span>
          {hint !== undefined && <span className="note whitespace-nowrap">{hint}</span>}
        </>
      )}
    </ComboBox>
  );
}
