'use client';

import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';

/**
 * An entry that a component offers in the search box as long as it is mounted: a page, or an action of the component.
 */
export interface PaletteOffer {
  readonly title: string;
  readonly label: string;
  readonly target: { readonly href: string } | { readonly run: () => void };
}

/** `keys`: the list of keyboard shortcuts. */
type Shown = 'search' | 'keys' | null;

interface Palette {
  readonly shown: Shown;
  readonly show: (shown: Shown) => void;
  /** Each function returns what one component offers now. */
  readonly offers: Set<() => readonly PaletteOffer[]>;
}

const PaletteContext = createContext<Palette | null>(null);

export function PaletteProvider({ children }: { readonly children: ReactNode }) {
  const [shown, show] = useState<Shown>(null);
  const [offers] = useState(() => new Set<() => readonly PaletteOffer[]>());
  const palette = useMemo(() => ({ shown, show, offers }), [shown, offers]);
  return <PaletteContext value={palette}>{children}</PaletteContext>;
}

export function usePalette(): Palette {
  const palette = useContext(PaletteContext);
  if (palette === null) throw new Error('expected a PaletteProvider around the page, got none');
  return palette;
}

/** A page without a search box, as that of a permalink, offers nothing. */
export function usePaletteOffers(list: () => readonly PaletteOffer[]): void {
  const offers = useContext(PaletteContext)?.offers;
  useEffect(() => {
    offers?.add(list);
    return () => {
      offers?.delete(list);
    };
  });
}
