'use client';

import { Dialog } from '../dialog';

interface KeyGroup {
  readonly title: string;
  readonly keys: readonly (readonly [keys: readonly string[], meaning: string])[];
}

const groups: readonly KeyGroup[] = [
  {
    title: 'On every page',
    keys: [
      [['/', 'Ctrl-K', '⌘K'], 'Search'],
      [['?'], 'Show these keys'],
      [['F'], 'Filter or find on this page'],
      [['C'], 'Check a config before it is pushed'],
      [['E'], 'Explain where a request goes: at the client of the page, or at all clients'],
      [['Esc'], 'Close a dialog or a panel; clear a filter'],
    ],
  },
  {
    title: 'On the pages of a client',
    keys: [
      [['[', ']'], 'Previous and next event'],
      [['N', 'Shift-N'], 'Next and previous NACK'],
      [['T', 'Shift-T'], 'Next and previous config tear'],
      [['A', 'B'], 'Set a side of the comparison to this moment'],
      [['Shift-A', 'Shift-B'], 'Show the moment of a side'],
    ],
  },
  {
    title: 'In the graph, tables and lists',
    keys: [
      [['↑', '↓', '←', '→'], 'Select a neighbour or another row'],
      [['Enter'], 'Open what is selected'],
      [['Shift-←', 'Shift-→'], 'Change the width of a column, at its header'],
    ],
  },
];

/** All keyboard shortcuts. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" isOpen onClose={onClose} widthPx={520}>
      {groups.map(({ title, keys }) => (
        <section key={title} aria-label={title} className="flex flex-col gap-1.5">
          <h3 className="note">{title}</h3>
          <dl className="grid grid-cols-[9.5rem_1fr] gap-x-4 gap-y-1.5">
            {keys.map(([each, meaning]) => (
              <div key={meaning} className="contents">
                <dt className="flex flex-wrap gap-1">
                  {each.map((key) => (
                    <kbd key={key} className="rounded border border-line-strong px-1.5 text-small">
                      {key}
                    </kbd>
                  ))}
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
