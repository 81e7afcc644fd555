'use client';

import Link from 'next/link';
import { useItems } from '@/app/_ask/use-question';
import { formatCount, formatCounted } from '@/lib/format/count';
import { findSilentSources } from '@/lib/views/sources/find-silent-sources';
import { useLiveStream } from '../_stream/use-live-stream';
import { Icon } from './icon';
import { separator } from './separator';
import { TimeAgo } from './time-ago';

const sourcesListed = 3;

/** Names the sources that do not respond. Nothing if all do. */
export function SilentSources() {
  useLiveStream('sources');
  const { data: sources = [] } = useItems('sources', {});
  const { silent, down, connecting, total } = findSilentSources(sources);
  if (down === 0 && connecting === 0) return null;
  const of = `of ${formatCounted(total, 'source')}`;
  const missing = [
    connecting > 0 ? `${formatCount(connecting)} ${of} not connected yet` : '',
    down > 0 ? `${formatCount(down)} ${of} not responding` : '',
  ];
  return (
    <section aria-label="Partial view" className="flex flex-wrap items-center gap-x-1.5 gap-y-1 text-medium">
      <span className="inline-flex items-center gap-1 font-medium text-timeout">
        <Icon name="warning" />
        Partial:
      </span>
      <span>{missing.filter((part) => part !== '').join(', ') + (silent.length > 0 ? separator : '')}</span>
      {silent.slice(0, sourcesListed).map(({ id, label, lastSuccessAt, members }, index, listed) => (
        <span key={id} className="inline-flex flex-wrap items-baseline gap-x-1.5">
          <span className="font-mono text-[0.9231rem]">{label}</span>
          {members !== null && <span className="text-muted">{formatCount(members.down)} of its targets</span>}
          {members === null && (
            <span className="text-muted">
              {lastSuccessAt === undefined ? (
                'no response yet'
              ) : (
                <>
                  last response <TimeAgo at={lastSuccessAt} />
                </>
              )}
            </span>
          )}
          {index < listed.length - 1 && separator}
        </span>
      ))}
      {silent.length > sourcesListed && (
        <span className="text-muted">and {formatCount(silent.length - sourcesListed)} more</span>
      )}
      <Link href="/sources" className="link-quiet">
        Sources
      </Link>
    </section>
  );
}
