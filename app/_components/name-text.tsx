'use client';

import { formatMiddleCut } from '@/lib/format/middle-cut';
import { formatVisible } from '@/lib/format/visible-text';
import { CopyButton } from './copy-button';

interface NameTextProps {
  readonly name: string;
  /** The room there is at the most; where there is less, the name is cut to that, in its middle too. */
  readonly maxChars?: number;
  /** With a button that copies the whole name. */
  readonly copy?: boolean;
  readonly className?: string;
}

/** A shorter name has nothing in its middle that could be missed. */
const cutsFromChars = 18;
/** What stays of the end when the room is narrower than the text. */
const tailChars = 9;

/** A name from outside: monospace, cut in its middle, whole on hover, copied with one click. */
export function NameText({ name, maxChars = 48, copy = false, className = '' }: NameTextProps) {
  return (
    <span className={`group/name inline-flex max-w-full min-w-0 items-center gap-1 ${className}`}>
      <span className="flex min-w-0 font-mono text-[0.9286em]" title={name} translate="no">
        <CutName name={formatVisible(name)} maxChars={maxChars} />
      </span>
      {copy && (
        <CopyButton
          text={name}
          label={`Copy the name ${formatMiddleCut(name, 60)}`}
          className="opacity-0 group-hover/name:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100"
        />
      )}
    </span>
  );
}

function CutName({ name, maxChars }: { readonly name: string; readonly maxChars: number }) {
  if (name === '') return <span>(empty name)</span>;
  const cut = formatMiddleCut(name, maxChars);
  if (cut === name && name.length < cutsFromChars)
    return <span className="truncate whitespace-pre">{name}</span>;
  const shown = Array.from(cut);
  return (
    <>
      {/* Two boxes for the eye: only the first one shrinks, and keeps room for its dots. A reader hears the whole name once. */}
      <span aria-hidden="true" className="min-w-[2ch] truncate whitespace-pre">
        {shown.slice(0, -tailChars).join('')}
      </span>
      <span aria-hidden="true" className="shrink-0 whitespace-pre">
        {shown.slice(-tailChars).join('')}
      </span>
      <span className="sr-only">{name}</span>
    </>
  );
}
