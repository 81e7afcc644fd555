'use client';

import type { MouseEvent } from 'react';

const shownOnFocus =
  'sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2';

/** The tab stop of a table is a row, that of the graph a node. */
const viewStop = '#main :is([data-row-id], [data-id])[tabindex="0"]';

/** The first two tab stops of every page: past the navigation, and past the controls of the page as well. */
export function SkipLinks() {
  return (
    <>
      <a href="#main" className={shownOnFocus}>
        Skip to the content
      </a>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a place in the page, which the script makes more precise */}
      <a href="#main" onClick={skipToView} className={shownOnFocus}>
        Skip to the table or graph
      </a>
    </>
  );
}

/** On a page with neither, the link leads to the content. */
function skipToView(event: MouseEvent): void {
  const stop = document.querySelector<HTMLElement | SVGElement>(viewStop);
  if (stop === null) return;
  event.preventDefault();
  stop.focus();
}
