'use client';

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
      <button type="button" onClick={skipToView} className={shownOnFocus}>
        Skip to the table or graph
      </button>
    </>
  );
}

/** On a page with neither, the button leads to the content. */
function skipToView(): void {
  const stop = document.querySelector<HTMLElement | SVGElement>(viewStop);
  (stop ?? document.getElementById('main'))?.focus();
}
