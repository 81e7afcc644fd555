'use client';

import { useQuestion } from '@/app/_ask/use-question';
import { useRunningImport } from '@/app/_ask/use-running-import';
import { Icon } from '@/app/_components/icon';
import { formatCount, formatCounted } from '@/lib/format/count';
import { nameOf } from '@/lib/xds/profile';

/** Larger clients are validated when the tab is opened. */
const mostResources = 2_000;

interface FindingsCountProps {
  readonly clientId: string;
  readonly resources: number;
}

/** The number of findings about the client's own profile, loaded after the resources; nothing until it is known. */
export function FindingsCount({ clientId, resources }: FindingsCountProps) {
  // Findings of a partly read file may be wrong, and its final size is unknown.
  const isWanted = useRunningImport(clientId) === null && resources <= mostResources;
  const { data } = useQuestion('findings', { limit: 0 }, { enabled: isWanted });
  if (data === undefined) return null;
  const { profile, counts, notices, isHint } = data;
  if (isHint && notices.length === 0) return null;
  const nacked = counts.nacked[profile];
  const findings = formatCounted(counts.ofProfile, 'finding');
  const rejected = `${nameOf(profile)} would NACK ${formatCount(nacked)} ${nacked === 1 ? 'resource' : 'resources'}`;
  const bugs = notices.map(({ title }) => `; known bug: ${title}`).join('');
  return (
    <span title={`${findings}; ${rejected}${bugs}`} className="relative inline-flex items-center gap-1.5">
      {!isHint && <span className="text-muted">{formatCount(counts.ofProfile)}</span>}
      {nacked > 0 && (
        <span className="inline-flex items-center gap-0.5 font-medium text-nacked">
          <Icon name="warning" sizePx={12} />
          {formatCount(nacked)}
          <span className="sr-only"> would be NACKed by {nameOf(profile)}</span>
        </span>
      )}
      {notices.length > 0 && (
        <span className="inline-flex items-center gap-0.5 font-medium text-timeout">
          <Icon name="warning" sizePx={12} />
          {formatCount(notices.length)}
          <span className="sr-only"> known {notices.length === 1 ? 'bug' : 'bugs'} of this client</span>
        </span>
      )}
    </span>
  );
}
