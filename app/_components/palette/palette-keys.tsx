'use client';

import { useEffect } from 'react';
import { isTyping } from './is-typing';
import { usePalette } from './palette-context';

/** Ctrl-K, Cmd-K and `/` open the search, `?` the list of keys. */
export function PaletteKeys() {
  const { show } = usePalette();
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey) return;
      const isCommand = event.ctrlKey || event.metaKey;
      if (isCommand && !event.shiftKey && event.key.toLowerCase() === 'k') show('search');
      else if (isCommand || isTyping(event.target)) return;
      else if (event.key === '/') show('search');
      else if (event.key === '?') show('keys');
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  }, [show]);
  return null;
}
