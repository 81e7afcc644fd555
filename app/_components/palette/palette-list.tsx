'use client';

import type { Ref } from 'react';
import { type PaletteGroup, type PaletteItem, paletteGroups } from '@/lib/views/search/palette-item';

interface PaletteListProps {
  readonly ref: Ref<HTMLDivElement>;
  readonly id: string;
  readonly groups: readonly PaletteGroup[];
  /** The chosen item, counted over all groups. */
  readonly index: number;
  readonly onHover: (index: number) => void;
  readonly onChoose: (item: PaletteItem) => void;
}

/** The choices below a text field, which keeps the focus. */
export function PaletteList({ ref, id, groups, index, onHover, onChoose }: PaletteListProps) {
  let next = 0;
  return (
    <div
      ref={ref}
      id={id}
      role="listbox"
      aria-label="Choices"
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain py-1.5"
    >
      {groups.map(({ name, items }) => (
        <fieldset key={name} aria-label={paletteGroups[name]} className="min-w-0 pb-1">
          <div aria-hidden="true" className="px-4 pt-1.5 pb-0.5 text-tiny font-medium text-muted">
            {paletteGroups[name]}
          </div>
          {items.map((item) => {
            const at = next++;
            return (
              <PaletteOption
                key={item.id}
                id={`${id}-${at}`}
                at={at}
                item={item}
                isChosen={at === index}
                onHover={onHover}
                onChoose={onChoose}
              />
            );
          })}
        </fieldset>
      ))}
    </div>
  );
}

interface PaletteOptionProps {
  readonly id: string;
  readonly at: number;
  readonly item: PaletteItem;
  readonly isChosen: boolean;
  readonly onHover: (index: number) => void;
  readonly onChoose: (item: PaletteItem) => void;
}

const named: ReadonlySet<string> = new Set([
  'resources',
  'clients',
  'endpoints',
  'domains',
  'contents',
  'versions',
]);

function PaletteOption({ id, at, item, isChosen, onHover, onChoose }: PaletteOptionProps) {
  const { title, label, detail, group } = item;
  return (
    // The text field has the focus and the keys.
    <button
      type="button"
      id={id}
      data-index={at}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      onPointerDown={(event) => event.preventDefault()}
      onPointerMove={() => {
        if (!isChosen) onHover(at);
      }}
      onClick={() => onChoose(item)}
      className={`flex min-h-9 w-full cursor-pointer flex-wrap items-baseline gap-x-2.5 px-4 py-1.5 text-left ${isChosen ? 'bg-accent-soft' : ''}`}
    >
      {label !== '' && group !== 'pages' && group !== 'actions' && (
        <span className="note max-w-32 truncate">{label}</span>
      )}
      <span className={`min-w-0 break-words ${named.has(group) ? 'font-mono text-[0.9286em]' : ''}`}>
        {title === '' ? '(empty name)' : title}
      </span>
      {label !== '' && (group === 'pages' || group === 'actions') && <span className="note">{label}</span>}
      {detail !== '' && <span className="ml-auto note">{detail}</span>}
    </button>
  );
}
