'use client';

import { formatMiddleCut } from '@/lib/format/middle-cut';
import { CopyButton } from './copy-button';

interface NameTextProps {
  readonly name: string;
  readonly maxChars?: number;
  /** With a button that copies the whole name. */
  readonly copy?: boolean;
  readonly className?: string;
}

/** A name from outside: monospace, cut in its middle, whole on hover, copied with one click. */
export function NameText({ name, maxChars = 48, copy = false, className = '' }: NameTextProps) {
  const shown = name === '' ? '(empty name)' : formatMiddleCut(name, maxChars);
  return (
    <span className={`group/name inline-flex min-w-0 max-w-full items-center gap-1 ${className}`}>
      <span className="truncate font-mono text-[0.9286em]" title={name} translate="no">
        {shown === name ? (
          name
        ) : (
          <>
            <span aria-hidden="true">{shown}</span>
            <span className="sr-only">{name}</span>
          </>
        )}
      </span>
      {copy && (
        <CopyButton
          text={name}
          label={`Copy the name ${formatMiddleCut(name, 60)}`}
          className="opacity-0 focus-visible:opacity-100 group-hover/name:opacity-100 pointer-coarse:opacity-100"
        />
      )}
    </span>
  );
}
