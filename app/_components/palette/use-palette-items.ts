'use client';

import { usePathname } from 'next/navigation';
import { useState } from 'react';
import { type Theme, useTheme } from '@/app/_hooks/use-theme';
import { formatIsoTime } from '@/lib/format/iso-time';
import { clientAddress } from '@/lib/views/compare/diff-address';
import type { PaletteItem } from '@/lib/views/search/palette-item';
import { compareHref } from '../compare-href';
import { type PaletteOffer, usePalette } from './palette-context';

interface PaletteItems {
  readonly places: readonly PaletteItem[];
  readonly actions: readonly PaletteItem[];
  readonly run: (action: string) => void;
}

const themes: readonly (readonly [Theme, string])[] = [
  ['light', 'Switch to the light theme'],
  ['dark', 'Switch to the dark theme'],
  ['system', 'Use the theme of the system'],
];
const agoMinutes = [10, 60];

/** The pages and actions of the current page and of the program, as of the opening of the search box. */
export function usePaletteItems(): PaletteItems {
  const { offers, show } = usePalette();
  const path = usePathname();
  const [theme, setTheme] = useTheme();
  const [openedAt] = useState(() => Date.now());
  const [offered] = useState(() => [...offers].flatMap((list) => list()));
  const all: PaletteOffer[] = [
    ...compareOffers(path, openedAt),
    ...offered,
    ...themes
      .filter(([each]) => each !== theme)
      .map(([each, title]) => ({ title, label: '', target: { run: () => setTheme(each) } })),
    { title: 'Show the keys', label: 'keyboard shortcuts', target: { run: () => show('keys') } },
  ];
  const actions: PaletteItem[] = [];
  const places: PaletteItem[] = [];
  const runs = new Map<string, () => void>();
  for (const [at, { title, label, target }] of all.entries()) {
    const base = { title, label, detail: '' };
    if ('run' in target) {
      const action = `action ${at}`;
      runs.set(action, target.run);
      actions.push({ ...base, id: action, group: 'actions', target: { action } });
    } else if (target.href.startsWith('/compare')) {
      actions.push({ ...base, id: target.href, group: 'actions', target });
    } else places.push({ ...base, id: `page ${target.href}`, group: 'pages', target });
  }
  const known = new Set(places.map(({ id }) => id));
  return {
    actions,
    places: [...places, ...palettePages.filter(({ id }) => !known.has(id))],
    run: (action) => runs.get(action)?.(),
  };
}

/** Offers comparisons on the pages of a client. */
function compareOffers(path: string, now: number): PaletteOffer[] {
  const [, clientId] = /^\/clients\/([0-9a-fx][0-9a-f]{15})(?:\/|$)/.exec(path) ?? [];
  if (clientId === undefined) return [];
  const present = clientAddress(clientId);
  const ago = agoMinutes.map((minutes) => {
    const then = clientAddress(clientId, formatIsoTime(now - minutes * 60_000));
    const title = `Compare with ${minutes === 60 ? 'an hour' : `${minutes} minutes`} ago`;
    return { title, label: 'this client', target: { href: compareHref(then, present) } };
  });
  const another = { title: 'Compare with another client', label: 'this client' };
  return [...ago, { ...another, target: { href: compareHref(present, null) } }];
}

const pages: readonly (readonly [title: string, href: string, about?: string])[] = [
  ['Overview', '/', 'active issues'],
  ['Clients', '/clients', 'fleet'],
  ['Cohorts', '/clients/cohorts', 'clients with identical config'],
  ['Sizes', '/clients/sizes', 'bytes of config'],
  ['Certificates', '/clients/identity', 'expiry, duplicate node IDs'],
  ['NACKs', '/nacks', 'rejected resources'],
  ['Pushes', '/pushes', 'which clients ACKed what was sent'],
  ['Explain', '/explain', 'where each client sends a request'],
  ['Check', '/check', 'what a config would do before it is pushed'],
  ['Compare', '/compare', 'two clients or moments'],
  ['History', '/history', 'recorded events'],
  ['Load', '/load', 'requests and errors'],
  ['Settings', '/sources', 'sources, imports and recorder'],
  ['Lab', '/lab', 'embedded mesh and faults'],
];

/** The pages that need no client. */
const palettePages: readonly PaletteItem[] = pages.map(([title, href, label = '']) => ({
  ...{ id: `page ${href}`, group: 'pages', title, label, detail: '', target: { href } },
}));
