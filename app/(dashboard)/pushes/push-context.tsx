import Link from 'next/link';
import type { Convergence } from '@/lib/api/convergence';
import { formatIsoTime } from '@/lib/format/iso-time';
import { NameText } from '../../_components/name-text';
import { pushHref } from '../../_components/push-href';
import type { Extent } from '../../_hooks/extent';

/** Clients that are not counted, other pushes of the same resource or version, and what may be missing. */
export function PushContext({ push, extent }: { readonly push: Convergence; readonly extent: Extent }) {
  const { subject, spread, names, nameCount, contents, otherServers, notes } = push;
  const { counts } = spread;
  const uncounted = [
    [counts['passed-over'], 'ACKed a newer version without it'],
    [counts.already, 'had the content already'],
    [counts.different, 'have content of their own'],
    [counts['joined-later'], 'joined later'],
    [counts.left, 'unsubscribed'],
  ] as const;
  const listed = uncounted.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`);
  return (
    <div className="mt-3 flex flex-col gap-1.5 text-medium">
      {listed.length > 0 && <p className="text-muted">Not counted: {listed.join(', ')}.</p>}
      {subject.name === null && names.length > 0 && (
        <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          <span className="text-muted">Resources</span>
          {names.slice(0, 12).map((name) => (
            <Link
              key={name}
              href={pushHref({ ...subject, name, hash: null }, extent)}
              className="min-w-0 link-hover"
            >
              <NameText name={name} />
            </Link>
          ))}
          {nameCount > 12 && <span className="text-muted">and {nameCount - 12} more</span>}
        </div>
      )}
      {contents.length > 1 && (
        <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          <span className="text-muted">Content versions, newest first</span>
          {contents.slice(0, 12).map(({ hash, version, firstAt, isThis }) => (
            <Link
              key={firstAt}
              href={pushHref({ ...subject, hash }, extent)}
              aria-current={isThis ? 'true' : undefined}
              title={`${hash}, first seen ${formatIsoTime(firstAt)}`}
              className={isThis ? 'font-semibold' : 'text-accent hover:underline'}
            >
              <NameText name={version === '' ? hash.slice(0, 8) : version} />
            </Link>
          ))}
        </div>
      )}
      {otherServers.length > 0 && (
        <div className="flex flex-wrap items-baseline gap-x-3">
          <span className="text-muted">Other servers that use the same version:</span>
          {otherServers.map((server) => (
            <Link key={server} href={pushHref({ ...subject, server }, extent)} className="link-quiet">
              <NameText name={server} />
            </Link>
          ))}
        </div>
      )}
      {notes.map((note) => (
        <p key={note} className="text-timeout">
          {note}
        </p>
      ))}
    </div>
  );
}
