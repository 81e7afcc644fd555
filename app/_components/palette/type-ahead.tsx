'use client';

import { useEffect } from 'react';

/** The text that was typed after the search was opened and before its dialog was loaded. */
export const typedAhead = { text: '' };

/** Stands for the dialog while it is loaded: the page must not take the keys as its shortcuts. */
export function TypeAhead() {
  useEffect(() => {
    typedAhead.text = '';
    const take = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'Backspace') typedAhead.text = typedAhead.text.slice(0, -1);
      else if ([...event.key].length === 1) typedAhead.text += event.key;
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    addEventListener('keydown', take, { capture: true });
    return () => removeEventListener('keydown', take, { capture: true });
  }, []);
  return null;
}
