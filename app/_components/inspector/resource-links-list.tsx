'use client';

import { useState } from 'react';
import { NameText } from '@/app/_components/name-text';
import { StatusMark } from '@/app/_components/status-mark';
import type { ResourceLinks } from '@/lib/api/schema';
import type { ResourceKey } from '@/lib/observation/resource-state';
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

interface DirectionProps {
  readonly title: string;
  readonly nothing: string;
  readonly links: ResourceLinks['uses'];
  readonly onOpen: (key: ResourceKey) => void;
}

function Direction({ title, nothing, links, onOpen }: DirectionProps) {
  const [isOpen, setOpen] = useState(false);
  // Dangling references first.
  const sorted = [...links].sort((a, b) => Number(a.held) - Number(b.held));
  const shown = isOpen ? sorted : sorted.slice(0, shownAtFirst);
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="text-tiny text-muted">
        {title}
        {links.length > 1 && ` · ${links.length}`}
      </h3>
      {links.length === 0 && <p className="text-medium text-muted">{nothing}</p>}
      <ul className={isOpen ? 'max-h-64 overflow-y-auto' : ''}>
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
      {sorted.length > shown.length && (
        <button type="button" onClick={() => setOpen(true)} className="min-h-6 text-small link-quiet">
          {sorted.length - shown.length} more
        </button>
      )}
    </section>
  );
}
