import { type FocusEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { keepOrder } from '@/lib/collections/keep-order';

interface StableOrder<Row> {
  readonly rows: readonly Row[];
  /** The order differs from that of the data. */
  readonly isOutdated: boolean;
  /** Handlers of the element that contains the rows. */
  readonly handlers: {
    readonly onFocus: () => void;
    readonly onBlur: (event: FocusEvent<HTMLElement>) => void;
  };
}

/** Keeps the order of rows while one of them has focus. `question`: what the rows and their order are; a change of it ends this. */
export function useStableOrder<Row extends { readonly id: string }>(
  newest: readonly Row[],
  question: string,
): StableOrder<Row> {
  const [keep, setKeep] = useState<typeof keepOrder>();
  const shown = useRef({ rows: newest, question });
  const rows = useMemo(
    () => (keep && shown.current.question === question ? keep(shown.current.rows, newest) : newest),
    [keep, newest, question],
  );
  useLayoutEffect(() => {
    shown.current = { rows, question };
  });
  const hasFocus = useRef(false);
  return {
    rows,
    isOutdated: rows !== newest,
    handlers: {
      onFocus() {
        if (hasFocus.current) return;
        hasFocus.current = true;
        void import('@/lib/collections/keep-order').then((module) => {
          if (hasFocus.current) setKeep(() => module.keepOrder);
        });
      },
      onBlur({ currentTarget, relatedTarget }) {
        if (currentTarget.contains(relatedTarget)) return;
        hasFocus.current = false;
        setKeep(undefined);
      },
    },
  };
}
