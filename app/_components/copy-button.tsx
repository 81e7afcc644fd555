'use client';

import { useEffect, useState } from 'react';
import { Icon } from './icon';

interface CopyButtonProps {
  /** A function, if the text has to be loaded first. */
  readonly text: string | (() => Promise<string>);
  /** As in "Copy the name". */
  readonly label: string;
  readonly className?: string;
}

const shownForMs = 1_500;

export function CopyButton({ text, label, className = '' }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'failed' | null>(null);

  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), shownForMs);
    return () => clearTimeout(timer);
  }, [outcome]);

  async function copy() {
    const read = typeof text === 'string' ? text : await text().catch(() => null);
    setOutcome(read !== null && (await writeClipboard(read)) ? 'copied' : 'failed');
  }

  return (
    <button
      type="button"
      aria-label={label}
      title={outcome === 'failed' ? 'Couldn’t copy' : label}
      onClick={(event) => {
        event.stopPropagation();
        event.preventDefault();
        void copy();
      }}
      className={`inline-flex size-6 shrink-0 items-center justify-center rounded text-muted transition hover:bg-hover hover:text-text ${className}`}
    >
      <Icon name={outcome === 'copied' ? 'check' : outcome === 'failed' ? 'close' : 'copy'} />
      <span role="status" className="sr-only">
        {outcome === 'copied' ? 'copied' : outcome === 'failed' ? 'couldn’t copy' : ''}
      </span>
    </button>
  );
}

/** navigator.clipboard exists only in secure contexts. */
async function writeClipboard(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}
