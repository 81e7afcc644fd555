'use client';

import { useEffect, useState } from 'react';
import { findFieldRange, type TextRange } from './find-field-range';

/** Where the field is in the text, as soon as that is known; null: nowhere, or no field is asked for. */
export function useFieldRange(text: string | undefined, field: string | null): TextRange | null {
  const [found, setFound] = useState<{ readonly key: string; readonly range: TextRange | null } | null>(null);
  const key = text === undefined || field === null ? '' : `${field}\n${text}`;
  useEffect(() => {
    if (text === undefined || field === null) return;
    let isCurrent = true;
    void findFieldRange(text, field).then((range) => {
      if (isCurrent) setFound({ key, range: range ?? null });
    });
    return () => {
      isCurrent = false;
    };
  }, [text, field, key]);
  return found !== null && key !== '' && found.key === key ? found.range : null;
}
