'use client';

import { PopoverButton } from '@/app/_components/popover-button';
import { type NamePart, nameParts } from '@/lib/format/names/name-part';
import { namePartLabels } from './name-part-columns';

interface ColumnsButtonProps {
  readonly shown: readonly NamePart[];
  readonly onChange: (shown: NamePart[]) => void;
}

/** Adds columns for the parts of names. */
export function ColumnsButton({ shown, onChange }: ColumnsButtonProps) {
  return (
    <PopoverButton label="Columns for the parts of names" button="Columns">
      <fieldset className="flex flex-col">
        <legend className="mb-1 text-muted">Parts of names as columns</legend>
        {nameParts.map((part) => (
          <label key={part} className="flex min-h-7 items-center gap-2">
            <input
              type="checkbox"
              checked={shown.includes(part)}
              onChange={(event) =>
                onChange(
                  nameParts.filter((other) =>
                    other === part ? event.target.checked : shown.includes(other),
                  ),
                )
              }
            />
            {namePartLabels(part)}
          </label>
        ))}
      </fieldset>
    </PopoverButton>
  );
}
