'use client';

import { useEffect, useLayoutEffect, useRef } from 'react';
import { isTyping } from '@/app/_components/palette/is-typing';
import type { FlagName } from './scrubber-axis';
import type { ScrubSteps } from './use-scrub-steps';

interface ScrubKeysOptions {
  readonly step: ScrubSteps['step'];
  readonly onSet: (name: FlagName) => void;
  readonly onOpen: (name: FlagName) => void;
}

/** Keyboard shortcuts of the scrubber on the whole page: [ ], N, T, A, B; Shift reverses. */
export function useScrubKeys(options: ScrubKeysOptions): void {
  const latest = useRef(options);
  useLayoutEffect(() => {
    latest.current = options;
  });
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target)) return;
      const { step, onSet, onOpen } = latest.current;
      const back = event.shiftKey ? 'older' : 'newer';
      const key = event.key.toLowerCase();
      if (key === '[') step('event', 'older');
      else if (key === ']') step('event', 'newer');
      else if (key === 'n') step('nack', back);
      else if (key === 't') step('tear', back);
      else if (key === 'a' || key === 'b') (event.shiftKey ? onOpen : onSet)(key === 'a' ? 'A' : 'B');
      else return;
      event.preventDefault();
    }
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}
