'use client';

import { formatMiddleCut } from '@/lib/format/middle-cut';
import { formatVisible } from '@/lib/format/visible-text';
import { CopyButton } from './copy-button';

interface NameTextProps {
  readonly name: string;
  /** Maximum length; the name is also shortened if there is less room. */
  readonly maxChars?: number;
  /** Adds a button that copies the name. */
  readonly copy?: boolean;
  readonly className?: string;
}

/** Shorter names are not shortened in the middle. */
const cutsFromChars = 18;
/** The length of the end that always stays visible. */
const tailChars = 9;

/** An external name: monospace, shortened in the middle, complete in the tooltip. */
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
      {/* Only the first box shrinks. Screen readers get the name once. */}
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
