'use client';

import { useContext } from 'react';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import { nothingCommon, splitName } from '@/lib/format/names/common-parts';
import { describeName, formatName } from '@/lib/format/names/format-name';
import { BreakableText } from './breakable-text';
import { CommonPartsContext } from './common-parts-context';
import { CopyButton } from './copy-button';

interface NameTextProps {
  readonly name: string;
  /** The type of the resource with this name. Some conventions are only recognised with it. */
  readonly typeUrl?: string;
  /** Adds a button that copies the whole name. */
  readonly copy?: boolean;
  readonly className?: string;
}

/** A longer name is not narrowed below this. */
const leastChars = 14;

/** Names of control planes are far shorter. Longer ones are cut at any width, since they would fill the page. */
const mostChars = 240;

/** A name is not divided within the numbers of an address. */
const afterPunctuation = /(?<=[@?&/|,_]|[^\d.:][.:])(?=[^@?&/|,_.:])/;

/**
 * An external name in its short form: monospace, the whole name in the tooltip. In a narrow place only what all names of the
 * list have in common is cut; the rest continues on the next line.
 */
export function NameText({ name, typeUrl, copy = false, className = '' }: NameTextProps) {
  const shown = formatName(name, typeUrl);
  return (
    <span
      className={`group/name inline-flex max-w-full items-center gap-1 ${shown.length > leastChars ? 'min-w-[min(100%,14ch)]' : 'min-w-0'} ${className}`}
    >
      <span
        className="min-w-0 font-mono text-[0.9286em] leading-[round(up,1.25em,1px)] wrap-anywhere whitespace-pre-wrap"
        title={name}
        translate="no"
      >
        {name === '' ? '(empty name)' : <ShortName name={name} typeUrl={typeUrl} />}
      </span>
      {copy && (
        <CopyButton
          text={name}
          label={`Copy the name ${formatMiddleCut(shown, 60)}`}
          className="opacity-0 group-hover/name:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100"
        />
      )}
    </span>
  );
}

function ShortName({ name, typeUrl }: Pick<NameTextProps, 'name' | 'typeUrl'>) {
  const common = useContext(CommonPartsContext);
  const { title, qualifiers } = describeName(name, typeUrl);
  // The common parts are those of the whole names.
  const { head, kept, tail } = splitName(
    formatMiddleCut(title, mostChars),
    title === name ? common : nothingCommon,
  );
  return (
    <>
      {head === '' && tail === '' ? (
        <BreakableText parts={kept.split(afterPunctuation)} />
      ) : (
        <span className="flex min-w-0">
          <CommonPart text={head} />
          <span className="min-w-0">
            <BreakableText parts={kept.split(afterPunctuation)} />
          </span>
          <CommonPart text={tail} />
        </span>
      )}
      {qualifiers.length > 0 && <span className="text-muted"> {qualifiers.join(' ')}</span>}
    </>
  );
}

/** It gives way before the part that distinguishes the name does. */
function CommonPart({ text }: { readonly text: string }) {
  return text === '' ? null : (
    <span className="min-w-[3ch] shrink-[9999] truncate whitespace-pre">{text}</span>
  );
}
