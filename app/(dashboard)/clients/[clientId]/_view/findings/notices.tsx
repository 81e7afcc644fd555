'use client';

import { Icon } from '@/app/_components/icon';
import { NameText } from '@/app/_components/name-text';
import { TimeAgo } from '@/app/_components/time-ago';
import type { ApiNotice } from '@/lib/api/findings';
import { formatCount } from '@/lib/format/count';
import { formatResourceRef } from '@/lib/view-model/client-resources/resource-ref';
import { useClientViewQuery } from '../use-client-view-query';

/** Known bugs of the client's release that it shows. */
export function Notices({ notices }: { readonly notices: readonly ApiNotice[] }) {
  if (notices.length === 0) return null;
  return (
    <ul
      aria-label="Known bugs of this client"
      className="flex flex-col gap-2 border-b border-line px-4 py-2.5"
    >
      {notices.map((notice) => (
        <Notice key={notice.id} notice={notice} />
      ))}
    </ul>
  );
}

function Notice({
  notice: { title, statement, source, since, resources, total },
}: {
  readonly notice: ApiNotice;
}) {
  const { openResource } = useClientViewQuery();
  return (
    <li className="flex flex-col gap-1 rounded-md border border-line px-3 py-2 text-medium">
      <p className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <span className="self-center text-timeout">
          <Icon name="warning" sizePx={13} />
        </span>
        <span className="min-w-0 font-semibold break-words">{title}</span>
        <span className="note">
          Known bug of this client, since <TimeAgo at={since} />
        </span>
      </p>
      <p className="break-words">{statement}</p>
      <ul aria-label="Resources concerned" className="flex min-w-0 flex-wrap gap-x-4 gap-y-1">
        {resources.map((resource) => (
          <li key={formatResourceRef(resource)} className="flex min-w-0 items-baseline gap-x-1.5">
            <span className="note">{resource.service}</span>
            <button
              type="button"
              className="min-w-0 text-left hover:underline"
              onClick={() => openResource(resource)}
              title="Open in the inspector"
            >
              <NameText name={resource.name} />
            </button>
          </li>
        ))}
        {total > resources.length && (
          <li className="note">and {formatCount(total - resources.length)} more</li>
        )}
      </ul>
      <p className="note break-words">{source}</p>
    </li>
  );
}
