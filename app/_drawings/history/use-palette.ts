'use client';

import { useEffect, useState } from 'react';
import { eventShape } from '@/lib/views/history/event-shape';
import { historyKinds } from '@/lib/views/history/history-kinds';

export interface Palette {
  readonly surface: string;
  readonly raised: string;
  readonly hover: string;
  readonly line: string;
  readonly lineStrong: string;
  readonly text: string;
  readonly muted: string;
  readonly accent: string;
  readonly acked: string;
  readonly nacked: string;
  readonly missing: string;
  readonly band: string;
  /** The index is that of historyKinds. */
  readonly kinds: readonly string[];
  readonly font: string;
}

function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const read = (variable: string) => style.getPropertyValue(variable).trim();
  return {
    surface: read('--surface'),
    raised: read('--surface-raised'),
    hover: read('--surface-hover'),
    line: read('--border'),
    lineStrong: read('--border-strong'),
    text: read('--text'),
    muted: read('--text-muted'),
    accent: read('--accent'),
    acked: read('--status-acked'),
    nacked: read('--status-nacked'),
    missing: read('--status-missing'),
    band: read('--accent-soft'),
    kinds: historyKinds.map((kind) => read(eventShape(kind).variable)),
    font: getComputedStyle(document.body).fontFamily,
  };
}

/** null until the styles are available. */
export function usePalette(): Palette | null {
  const [palette, setPalette] = useState<Palette | null>(null);
  useEffect(() => {
    const read = () => setPalette(readPalette());
    read();
    const themes = new MutationObserver(read);
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', read);
    return () => {
      themes.disconnect();
      system.removeEventListener('change', read);
    };
  }, []);
  return palette;
}
