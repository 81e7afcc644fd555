'use client';

import { useId } from 'react';

interface ChoiceCardsProps<T extends string> {
  readonly legend: string;
  readonly name: string;
  readonly value: T;
  readonly choices: readonly { readonly value: T; readonly label: string; readonly text: string }[];
  readonly onChange: (value: T) => void;
}

export function ChoiceCards<T extends string>({
  legend,
  name,
  value,
  choices,
  onChange,
}: ChoiceCardsProps<T>) {
  const id = useId();
  return (
    <fieldset className="grid gap-2 min-[30rem]:grid-cols-2">
      <legend className="mb-1 note font-medium">{legend}</legend>
      {choices.map((choice) => (
        <label
          key={choice.value}
          className="flex cursor-pointer flex-col gap-0.5 rounded-md border border-line-strong/60 p-2.5 has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-focus"
        >
          <span className="flex items-center gap-2 font-medium">
            <input
              type="radio"
              name={name}
              checked={value === choice.value}
              onChange={() => onChange(choice.value)}
              aria-label={choice.label}
              aria-describedby={`${id}-${choice.value}`}
              className="accent-accent"
            />
            {choice.label}
          </span>
          <span id={`${id}-${choice.value}`} className="note">
            {choice.text}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
