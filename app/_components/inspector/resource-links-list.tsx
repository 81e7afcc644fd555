'use client';

import { useState } from 'react';
import { NameText } from '@/app/_components/name-text';
import { StatusMark } from '@/app/_components/status-mark';
import { by } from '@/lib/collections/compare';
import { formatCount } from '@/lib/format/count';
import type { ResourceKey } from '@/lib/observation/resource-state';
import type { ResourceLinks } from '@/lib/views/inspector/schema';
import { formatResourceType } from '@/lib/xds/resource-type';

interface ResourceLinksListProps {
  readonly links: ResourceLinks;
  /** References are unknown without content. */
  readonly isBodyKnown: boolean;
  readonly onOpen: (key: ResourceKey) => void;
}

/** References in both directions; missing resources are marked. */
export function ResourceLinksList({ links, isBodyKnown, onOpen }: ResourceLinksListProps) {
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(13rem,1fr))] gap-x-4 gap-y-2">
      <Direction
        title="Uses"
        nothing={isBodyKnown ? 'Uses no other resource.' : 'Unknown: the content is not reported.'}
        links={links.uses}
        onOpen={onOpen}
      />
      <Direction
        title="Used by"
        nothing="Not used by any resource of the client."
        links={links.usedBy}
        onOpen={onOpen}
      />
    </div>
  );
}

/** References to files and other servers are not resolved by the client's stream. */
function NotHeld({ from }: Pick<ResourceLinks['uses'][number], 'from'>) {
  if (from === 'path') return <span className="note">from a file</span>;
  if (from === 'api' || from === 'rest') return <span className="note">from another server</span>;
  return <StatusMark status="MISSING" className="text-small" />;
}

const shownAtFirst = 3;
/** A certificate authority may be used by each of 10,000 clusters. */
const shownAtOnce = 200;

interface DirectionProps {
  readonly title: string;
  readonly nothing: string;
  readonly links: ResourceLinks['uses'];
  readonly onOpen: (key: ResourceKey) => void;
}

function Direction({ title, nothing, links, onOpen }: DirectionProps) {
  const [most, setMost] = useState(shownAtFirst);
  // Dangling references first.
  const sorted = [...links].sort(by(({ held }) => held));
  const shown = sorted.slice(0, most);
  const hidden = sorted.length - shown.length;
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="text-tiny text-muted">
        {title}
        {links.length > 1 && ` · ${formatCount(links.length)}`}
      </h3>
      {links.length === 0 && <p className="text-medium text-muted">{nothing}</p>}
      <ul className={most > shownAtFirst ? 'max-h-64 overflow-y-auto' : ''}>
        {shown.map((link) => (
          <li key={`${link.typeUrl} ${link.name}`} className="flex min-w-0 items-center gap-1.5">
            <button
              type="button"
              onClick={() => onOpen(link)}
              className="flex min-h-6 min-w-0 items-center gap-1.5 rounded text-left link-hover"
            >
              <span className="text-tiny text-muted">{formatResourceType(link.typeUrl)}</span>
              <NameText name={link.name} />
            </button>
            {!link.held && <NotHeld from={link.from} />}
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <button
          type="button"
          onClick={() => setMost(shown.length + shownAtOnce)}
          className="min-h-6 text-small link-quiet"
        >
          {hidden > shownAtOnce
            ? `${formatCount(shownAtOnce)} of ${formatCount(hidden)} more`
            : `${formatCount(hidden)} more`}
        </button>
      )}
    </section>
  );
}
