'use client';

import { type KeyboardEvent, useState } from 'react';

interface ListChoice {
  /** The chosen item; -1: none. */
  readonly index: number;
  readonly setIndex: (index: number) => void;
  /** Arrow keys move the choice, at the ends to the other end. Returns whether the key was one of them. */
  readonly onArrow: (event: KeyboardEvent) => boolean;
}

/** The choice in the list below a text field, which keeps the focus (ARIA combobox). */
export function useListChoice(count: number, first = 0): ListChoice {
  const [chosen, setIndex] = useState(first);
  const index = Math.min(chosen, count - 1);
  const onArrow = (event: KeyboardEvent): boolean => {
    if (event.altKey || event.ctrlKey || event.metaKey || count === 0) return false;
    if (event.key === 'ArrowDown') setIndex(index + 1 >= count ? 0 : index + 1);
    else if (event.key === 'ArrowUp') setIndex(index <= 0 ? count - 1 : index - 1);
    else return false;
    event.preventDefault();
    return true;
  };
  return { index, setIndex, onArrow };
}
